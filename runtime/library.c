// library.c: the calls of llmc.h, on top of rt.h.
#include "llmc.h"
#include "library_package.h"
#include "rt_state.h"
#include "sampling.h"
#include "tokenizer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Llmc {
    Rt *rt; // NULL: *error says why
    RtError error;
    Package package; // of the static library
    bool text;       // view is open
    TokenizerView view;
    LlmcOptions options;
    char program[4096], weights[4096];
};

// The file of this library and, in place of "lib" and ".so", the weights beside it.
static RtStatus find_library(Llmc *l)
{
    Dl_info info;
    if (!dladdr((const void *)(uintptr_t)&llmc_open, &info) || !info.dli_fname)
        return rt_fail(&l->error, ERR_READ, "the library's own file is not known");
    snprintf(l->program, sizeof l->program, "%s", info.dli_fname);
    return RT_OK;
}

// "a/NAME.llmw" for "a/libNAME.so"; none for another name.
static const char *weights_beside(Llmc *l, const char *library)
{
    const char *slash = strrchr(library, '/'), *name = slash ? slash + 1 : library, *end = strstr(name, ".so");
    if (strncmp(name, "lib", 3) != 0 || !end)
        return NULL;
    snprintf(l->weights, sizeof l->weights, "%.*s%.*s.llmw", (int)(name - library), library, (int)(end - name - 3),
             name + 3);
    return l->weights;
}

static bool ask_cancelled(void *context)
{
    const Llmc *l = context;
    return l->options.cancelled(l->options.cancelled_context) != 0;
}

static RtStatus open_rt(Llmc *l)
{
    const LlmcOptions *o = &l->options;
    RtOptions options = { .program = o->program, .weights = o->weights, .device = o->device, .context = o->context,
                          .ignore_eos = o->ignore_eos != 0, .interrupted = o->cancelled ? ask_cancelled : NULL,
                          .interrupted_context = l };
    if (!o->program && llmc_package_bytes) {
        if (package_take(&l->package, llmc_package, llmc_package_bytes, "the library", &l->error) != RT_OK)
            return RT_FAILED;
        options.package = &l->package;
    } else if (!o->program) {
        if (find_library(l) != RT_OK)
            return RT_FAILED;
        options.program = l->program;
    }
    if (!options.weights && options.program)
        options.weights = weights_beside(l, options.program);
    const RtStatus status = rt_open(&l->rt, &options);
    // `llmc pack` has nothing to pack into where the library became a part of a program.
    if (status != RT_OK && options.package && l->rt && strncmp(l->rt->error.advice, "llmc pack", 9) == 0)
        rt_advise(&l->rt->error, "libNAME.a was written with NAME.llmw beside it: copy that there, or name it in LlmcOptions.weights");
    return status;
}

static RtStatus open_text(Llmc *l)
{
    const PackageBytes tables = l->rt->package.tokenizer;
    l->text = tables.at && tokenizer_open(&l->view, tables.at, tables.bytes);
    return l->text || !tables.at
               ? RT_OK
               : rt_fail(&l->rt->error, ERR_PACKAGE, "the program's tokenizer tables are damaged");
}

static const RtError *error_of(const Llmc *l)
{
    return l && !l->rt ? &l->error : rt_error(l ? l->rt : NULL);
}

static int outcome(const Llmc *l, RtStatus status)
{
    return status == RT_OK ? 0 : (int)error_of(l)->id;
}

int llmc_open(Llmc **out, const LlmcOptions *options)
{
    Llmc *l = *out = calloc(1, sizeof *l);
    if (!l)
        return ERR_MEMORY;
    if (options)
        l->options = *options;
    RtStatus status = open_rt(l);
    if (status == RT_OK)
        status = open_text(l);
    return outcome(l, status);
}

void llmc_close(Llmc *l)
{
    if (!l)
        return;
    rt_close(l->rt);
    package_close(&l->package);
    free(l);
}

const char *llmc_error(const Llmc *l)
{
    return error_of(l)->text;
}

const char *llmc_advice(const Llmc *l)
{
    return error_of(l)->advice;
}

int llmc_prefill(Llmc *l, const uint32_t *ids, int n)
{
    return outcome(l, rt_prefill(l->rt, ids, n));
}

// The fields of `how` into s. Error: OPTION_VALUE.
static RtStatus read_sampling(const LlmcSampling *how, Sampling *s, RtError *error)
{
    const struct {
        SamplingField field;
        const char *name;
        double value;
    } fields[] = {
        { SAMPLING_TEMPERATURE, "temperature", how->temperature },
        { SAMPLING_TOP_K, "top_k", how->top_k },
        { SAMPLING_TOP_P, "top_p", how->top_p == 0 ? 1 : how->top_p },
        { SAMPLING_MIN_P, "min_p", how->min_p },
        { SAMPLING_REPEAT, "repeat_penalty", how->repeat_penalty == 0 ? 1 : how->repeat_penalty },
        { SAMPLING_PRESENCE, "presence_penalty", how->presence_penalty },
        { SAMPLING_FREQUENCY, "frequency_penalty", how->frequency_penalty },
        { SAMPLING_WINDOW, "repeat_last_n", how->repeat_last_n ? how->repeat_last_n : s->window },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
        if (!sampling_set(s, fields[i].field, fields[i].value))
            return rt_fail(error, ERR_OPTION_VALUE, "%s is %.6g: expected %s", fields[i].name, fields[i].value,
                           sampling_wants(fields[i].field));
    s->seed = how->seed;
    return RT_OK;
}

static RtStatus read_biases(const LlmcSampling *how, SamplingBias *bias, RtError *error)
{
    for (int i = 0; i < how->biases; ++i) {
        if (!sampling_bias_possible(how->bias[i].add))
            return rt_fail(error, ERR_OPTION_VALUE, "the bias for id %u is %.6g: expected -1000000 to 1000000, or -INFINITY (never)",
                           how->bias[i].id, (double)how->bias[i].add);
        bias[i] = (SamplingBias){ how->bias[i].id, how->bias[i].add };
    }
    return RT_OK;
}

static RtStatus sample(Rt *rt, const LlmcSampling *how)
{
    Sampling s = sampling_default();
    RtStatus status = read_sampling(how, &s, &rt->error);
    if (status == RT_OK && how->biases < 0)
        status = rt_fail(&rt->error, ERR_OPTION_VALUE, "biases is %d: expected 0 or more", how->biases);
    if (status != RT_OK)
        return status;
    SamplingBias *bias = calloc((size_t)how->biases + 1, sizeof *bias);
    s.bias = bias;
    s.biases = how->biases;
    status = bias ? read_biases(how, bias, &rt->error) : rt_fail(&rt->error, ERR_MEMORY, "no memory for %d biases", how->biases);
    if (status == RT_OK)
        status = rt_choose(rt, &s);
    free(bias);
    return status;
}

int llmc_sample(Llmc *l, const LlmcSampling *how)
{
    return outcome(l, how ? sample(l->rt, how) : rt_choose(l->rt, NULL));
}

typedef struct Sink {
    LlmcSink *sink;
    void *context;
} Sink;

static bool pass_id(void *context, uint32_t id)
{
    const Sink *to = context;
    return to->sink(to->context, id) != 0;
}

int llmc_decode(Llmc *l, int n, LlmcSink *sink, void *context, LlmcEnd *end)
{
    static const LlmcEnd ends[] = { [RT_END_COUNT] = LLMC_COUNT, [RT_END_EOS] = LLMC_EOS,
                                    [RT_END_CONTEXT] = LLMC_CONTEXT, [RT_END_SINK] = LLMC_SINK,
                                    [RT_END_INTERRUPTED] = LLMC_CANCELLED };
    Sink to = { sink, context };
    RtEnd how;
    const RtStatus status = rt_decode(l->rt, n, pass_id, &to, &how);
    *end = ends[how];
    return outcome(l, status);
}

void llmc_reset(Llmc *l)
{
    rt_reset(l->rt);
}

int llmc_keep(Llmc *l, const uint32_t *ids, int n)
{
    return rt_keep(l->rt, ids, n);
}

int llmc_position(const Llmc *l)
{
    return rt_position(l->rt);
}

int llmc_context(const Llmc *l)
{
    return l->rt->context;
}

int llmc_vocabulary(const Llmc *l)
{
    return (int)l->rt->package.plan->vocab;
}

long llmc_encode(Llmc *l, const char *text, size_t bytes, int bos, int special, uint32_t *ids, long room)
{
    const TokenizerText asked = { .text = text, .bytes = bytes, .bos = bos != 0, .special = special != 0 };
    if (!l->text) {
        rt_fail(&l->rt->error, ERR_WEIGHTS_MISSING, "this model has no tokenizer");
        return -1;
    }
    uint32_t *all = malloc(tokenizer_room(&l->view, bytes) * sizeof *all);
    const int64_t n = all ? tokenizer_encode_text(&l->view, &asked, all, NULL) : -1;
    if (n < 0)
        rt_fail(&l->rt->error, ERR_MEMORY, "no memory to split %zu bytes of text into tokens", bytes);
    else if (n)
        memcpy(ids, all, (size_t)(n < room ? n : room > 0 ? room : 0) * sizeof *ids);
    free(all);
    return (long)n;
}

const char *llmc_text(const Llmc *l, uint32_t id, size_t *bytes)
{
    *bytes = 0;
    return l->text && id < l->view.head->vocab ? (const char *)tokenizer_bytes(&l->view, id, bytes) : NULL;
}
