// q8_0.c: GGUF Q8_0: blocks of 32 signed bytes with one F16 scale: value = scale * q.
//   0: scale | 2: q[32]
#include "format.h"

#include "../../runtime/half.h"

enum { BLOCK = 32, BLOCK_BYTES = 34 };

static void unpack(const void *from, float *to, int64_t values)
{
    const uint8_t *p = from;
    for (int64_t at = 0; at < values; at += BLOCK, p += BLOCK_BYTES) {
        const float scale = f16_to_float((uint16_t)(p[0] | p[1] << 8));
        for (int i = 0; i < BLOCK; ++i)
            to[at + i] = scale * (float)(int8_t)p[2 + i];
    }
}

const Format format_q8_0 = {
    .name = "Q8_0", .block = BLOCK, .block_bytes = BLOCK_BYTES, .gguf_type = 8, .stored = "BF16", .unpack = unpack
};
