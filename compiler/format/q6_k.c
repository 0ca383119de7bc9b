// q6_k.c: GGUF Q6_K: blocks of 256 six-bit numbers, a signed byte scale for each 16 and one F16 scale for all:
// value = (scale * scales[i / 16]) * (q - 32).
//   0: low[128] | 128: high[64] | 192: scales[16] | 208: scale
// Each half of the block (128 values) takes 64 bytes of low and 32 of high. Within a half, value 32 g + i has its low
// four bits in low[i + 32 (g & 1)], lower nibble for g < 2, and its high two bits in bits 2 g of high[i].
#include "format.h"

#include "../../runtime/half.h"

enum { BLOCK = 256, BLOCK_BYTES = 210 };

static void unpack_half(const uint8_t *low, const uint8_t *high, const uint8_t *scales, float scale, float *to)
{
    for (int v = 0; v < BLOCK / 2; ++v) {
        const int g = v / 32, i = v % 32;
        const int low4 = low[i + 32 * (g & 1)] >> (g < 2 ? 0 : 4) & 15;
        const int high2 = high[i] >> 2 * g & 3;
        to[v] = scale * (float)(int8_t)scales[v / 16] * (float)((low4 | high2 << 4) - 32);
    }
}

static void unpack(const void *from, float *to, int64_t values)
{
    const uint8_t *p = from;
    for (int64_t at = 0; at < values; at += BLOCK, p += BLOCK_BYTES) {
        const float scale = f16_to_float((uint16_t)(p[208] | p[209] << 8));
        unpack_half(p, p + 128, p + 192, scale, to + at);
        unpack_half(p + 64, p + 160, p + 200, scale, to + at + BLOCK / 2);
    }
}

const Format format_q6_k = {
    .name = "Q6_K", .block = BLOCK, .block_bytes = BLOCK_BYTES, .gguf_type = 14, .stored = "BF16", .unpack = unpack
};
