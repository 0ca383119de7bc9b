// f16.c: IEEE half precision.
#include "format.h"

#include "../../runtime/half.h"

static void unpack(const void *from, float *to, int64_t values)
{
    const unsigned char *p = from;
    for (int64_t i = 0; i < values; ++i)
        to[i] = f16_to_float((uint16_t)(p[2 * i] | p[2 * i + 1] << 8));
}

static void pack(const float *from, void *to, int64_t values)
{
    unsigned char *p = to;
    for (int64_t i = 0; i < values; ++i) {
        const uint16_t h = f16_from_float(from[i]);
        memcpy(p + 2 * i, &h, 2);
    }
}

const Format format_f16 = { .name = "F16",
                            .block = 1,
                            .block_bytes = 2,
                            .gguf_type = 1,
                            .safetensors = "F16",
                            .stored = "F16",
                            .unpack = unpack,
                            .pack = pack,
                            .exponent = 0x7c00,
                            .dot8 = "dot8_f16.cu" };
