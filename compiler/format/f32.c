// f32.c: float32, as checkpoints keep it. Matrices are packed as BF16, norm vectors as they are.
#include "format.h"

#include <string.h>

static void unpack(const void *from, float *to, int64_t values)
{
    memcpy(to, from, (size_t)values * 4);
}

static void pack(const float *from, void *to, int64_t values)
{
    memcpy(to, from, (size_t)values * 4);
}

const Format format_f32 = { .name = "F32",
                            .block = 1,
                            .block_bytes = 4,
                            .gguf_type = 0,
                            .safetensors = "F32",
                            .stored = "BF16",
                            .unpack = unpack,
                            .pack = pack };
