// bf16.c: the upper half of a float32.
#include "format.h"

#include "../../runtime/half.h"

static void unpack(const void *from, float *to, int64_t values)
{
    const unsigned char *p = from;
    for (int64_t i = 0; i < values; ++i)
        to[i] = bf16_to_float((uint16_t)(p[2 * i] | p[2 * i + 1] << 8));
}

static void pack(const float *from, void *to, int64_t values)
{
    unsigned char *p = to;
    for (int64_t i = 0; i < values; ++i) {
        const uint16_t h = bf16_from_float(from[i]);
        memcpy(p + 2 * i, &h, 2);
    }
}

const Format format_bf16 = { .name = "BF16",
                             .block = 1,
                             .block_bytes = 2,
                             .gguf_type = 30,
                             .safetensors = "BF16",
                             .stored = "BF16",
                             .unpack = unpack,
                             .pack = pack,
                             .exponent = 0x7f80,
                             .dot8 = "dot8_bf16.cu" };
