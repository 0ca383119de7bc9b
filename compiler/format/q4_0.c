// q4_0.c: GGUF Q4_0: blocks of 32 nibbles with one F16 scale: value = scale * (q - 8).
//   0: scale | 2: bytes[16], byte i holds value i in its low half and value 16 + i in its high half
#include "format.h"

#include "../../runtime/half.h"

enum { BLOCK = 32, BLOCK_BYTES = 18 };

static void unpack(const void *from, float *to, int64_t values)
{
    const uint8_t *p = from;
    for (int64_t at = 0; at < values; at += BLOCK, p += BLOCK_BYTES) {
        const float scale = f16_to_float((uint16_t)(p[0] | p[1] << 8));
        for (int i = 0; i < BLOCK / 2; ++i) {
            to[at + i] = scale * (float)((p[2 + i] & 15) - 8);
            to[at + BLOCK / 2 + i] = scale * (float)((p[2 + i] >> 4) - 8);
        }
    }
}

const Format format_q4_0 = {
    .name = "Q4_0", .block = BLOCK, .block_bytes = BLOCK_BYTES, .gguf_type = 2, .stored = "BF16", .unpack = unpack
};
