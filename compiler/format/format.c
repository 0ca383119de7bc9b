// format.c: the table of formats and how they are found.
#include "format.h"

#include <string.h>
#include <strings.h>

static const Format *const formats[] = { &format_f32,  &format_f16,  &format_bf16, &format_q8_0,
                                         &format_q4_0, &format_q4_1, &format_q6_k };
enum { FORMATS = sizeof formats / sizeof *formats };

// Every number that a GGUF tensor directory may hold, read here or not, so that a refusal can name it. Numbers 4, 5, 31
// to 33 and 36 to 38 stand in old files only.
static const char *const gguf_names[] = {
    [0] = "F32",         [1] = "F16",         [2] = "Q4_0",        [3] = "Q4_1",      [4] = "Q4_2",     [5] = "Q4_3",
    [6] = "Q5_0",        [7] = "Q5_1",        [8] = "Q8_0",        [9] = "Q8_1",      [10] = "Q2_K",    [11] = "Q3_K",
    [12] = "Q4_K",       [13] = "Q5_K",       [14] = "Q6_K",       [15] = "Q8_K",     [16] = "IQ2_XXS", [17] = "IQ2_XS",
    [18] = "IQ3_XXS",    [19] = "IQ1_S",      [20] = "IQ4_NL",     [21] = "IQ3_S",    [22] = "IQ2_S",   [23] = "IQ4_XS",
    [24] = "I8",         [25] = "I16",        [26] = "I32",        [27] = "I64",      [28] = "F64",     [29] = "IQ1_M",
    [30] = "BF16",       [31] = "Q4_0_4_4",   [32] = "Q4_0_4_8",   [33] = "Q4_0_8_8", [34] = "TQ1_0",   [35] = "TQ2_0",
    [36] = "IQ4_NL_4_4", [37] = "IQ4_NL_4_8", [38] = "IQ4_NL_8_8", [39] = "MXFP4",    [40] = "NVFP4",   [41] = "Q1_0",
};

const Format *format_find(const char *name)
{
    for (int i = 0; i < FORMATS; ++i)
        if (strcasecmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

const Format *format_of_gguf(int type)
{
    for (int i = 0; i < FORMATS; ++i)
        if (formats[i]->gguf_type == type)
            return formats[i];
    return NULL;
}

const Format *format_of_safetensors(const char *dtype)
{
    for (int i = 0; i < FORMATS; ++i)
        if (formats[i]->safetensors && strcmp(formats[i]->safetensors, dtype) == 0)
            return formats[i];
    return NULL;
}

const char *format_gguf_name(int type)
{
    return type >= 0 && type < (int)(sizeof gguf_names / sizeof *gguf_names) ? gguf_names[type] : NULL;
}

int64_t format_bytes(const Format *f, int64_t values)
{
    return values / f->block * f->block_bytes;
}
