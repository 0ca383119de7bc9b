// table.c: formats are found by name, GGUF number and dtype; every GGUF number in use has a name; F16 and BF16 pack.
#include "../test.h"

#include "../../compiler/format/format.h"

static void finds_each_by_every_key(void)
{
    const Format *all[] = { &format_f32,  &format_f16,  &format_bf16, &format_q8_0,
                            &format_q4_0, &format_q4_1, &format_q6_k };
    for (int i = 0; i < (int)(sizeof all / sizeof *all); ++i) {
        ASSERT(format_find(all[i]->name) == all[i]);
        ASSERT(format_of_gguf(all[i]->gguf_type) == all[i]);
        ASSERT_STR(all[i]->name, format_gguf_name(all[i]->gguf_type));
        ASSERT(all[i]->unpack != NULL);
        if (all[i]->safetensors)
            ASSERT(format_of_safetensors(all[i]->safetensors) == all[i]);
        const Format *stored = format_find(all[i]->stored);
        ASSERT(stored && stored->pack && stored->dot8);
    }
    ASSERT(format_find("bf16") == &format_bf16);
    ASSERT(format_find("q8_1") == NULL);
    ASSERT(format_of_gguf(12) == NULL);
    ASSERT(format_of_gguf(-1) == NULL);
    ASSERT(format_of_safetensors("bf16") == NULL);
}

static void names_what_it_does_not_read(void)
{
    ASSERT_STR("Q4_K", format_gguf_name(12));
    ASSERT_STR("IQ4_NL", format_gguf_name(20));
    ASSERT_STR("MXFP4", format_gguf_name(39));
    ASSERT(format_gguf_name(1000) == NULL);
    ASSERT(format_gguf_name(-1) == NULL);
}

static void counts_bytes_by_blocks(void)
{
    ASSERT_INT(8, format_bytes(&format_f32, 2));
    ASSERT_INT(68, format_bytes(&format_q8_0, 64));
    ASSERT_INT(210, format_bytes(&format_q6_k, 256));
    ASSERT_INT(20ll * (1ll << 30), format_bytes(&format_q4_1, 32ll << 30));
}

static void packs_to_nearest_even(void)
{
    const float in[] = { 1.0f, 1.00390625f, 1.01171875f, -0.0f, 1e30f, 65520.0f };
    uint16_t bf16[6], f16[6];
    float back[6];
    format_bf16.pack(in, bf16, 6);
    format_f16.pack(in, f16, 6);
    ASSERT_INT(0x3f80, bf16[0]);
    ASSERT_INT(0x3f80, bf16[1]); // half way: to the even mantissa
    ASSERT_INT(0x3f82, bf16[2]); // half way: up to the even one
    ASSERT_INT(0x8000, bf16[3]);
    ASSERT_INT(0x7c00, f16[4]); // overflow becomes infinity
    ASSERT_INT(0x7c00, f16[5]);
    format_f16.unpack(f16, back, 6);
    ASSERT(back[1] == 1.00390625f && isinf(back[5]));
}

int main(void)
{
    finds_each_by_every_key();
    names_what_it_does_not_read();
    counts_bytes_by_blocks();
    packs_to_nearest_even();
    return test_failed;
}
