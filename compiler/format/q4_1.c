// q4_1.c: GGUF Q4_1: blocks of 32 nibbles with an F16 scale and an F16 least value: value = scale * q + least.
//   0: scale | 2: least | 4: bytes[16], byte i holds value i in its low half and value 16 + i in its high half
#include "format.h"

#include "../../runtime/half.h"

enum { BLOCK = 32, BLOCK_BYTES = 20 };

static void unpack(const void *from, float *to, int64_t values)
{
    const uint8_t *p = from;
    for (int64_t at = 0; at < values; at += BLOCK, p += BLOCK_BYTES) {
        const float scale = f16_to_float((uint16_t)(p[0] | p[1] << 8));
        const float least = f16_to_float((uint16_t)(p[2] | p[3] << 8));
        for (int i = 0; i < BLOCK / 2; ++i) {
            to[at + i] = scale * (float)(p[4 + i] & 15) + least;
            to[at + BLOCK / 2 + i] = scale * (float)(p[4 + i] >> 4) + least;
        }
    }
}

const Format format_q4_1 = {
    .name = "Q4_1", .block = BLOCK, .block_bytes = BLOCK_BYTES, .gguf_type = 3, .stored = "BF16", .unpack = unpack
};
