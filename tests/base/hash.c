// hash.c: the values of --weights random:SEED, as the definition in runtime/hash.h gives them in exact arithmetic.
#include "../test.h"

#include "../../runtime/half.h"
#include "../../runtime/hash.h"

typedef struct Vector {
    uint64_t seed;
    const char *name;
    uint32_t row, col;
    uint64_t key;
    uint32_t unit, weight, norm; // bits; weight of a matrix of 2,048 columns, norm of the same column
} Vector;

// From hash_vectors.py.
static const Vector vectors[] = {
    { 0x0ull, "", 0, 0, 0xa2efe86ca5535e87ull, 0x3f24575c, 0x3cca46af, 0x3f948aec },
    { 0x0ull, "", 1, 2, 0xa2efe86ca5535e87ull, 0xbee74684, 0xbc8ca071, 0x3f735abc },
    { 0x0ull, "", 128255, 2047, 0xa2efe86ca5535e87ull, 0xbe079a98, 0xbba21486, 0x3f5d0a1e },
    { 0x2aull, "model.embed_tokens.weight", 0, 0, 0xc72f261378ce7207ull, 0xbec0b950, 0xbc6a099f, 0x3f67e8d6 },
    { 0x2aull, "model.embed_tokens.weight", 1, 2, 0xc72f261378ce7207ull, 0x3f6f03e8, 0x3d12ddca, 0x3f94551e },
    { 0x2aull, "model.embed_tokens.weight", 128255, 2047, 0xc72f261378ce7207ull, 0x3e712538, 0x3c15abb9, 0x3f91679f },
    { 0xffffffffffffffffull, "model.layers.15.self_attn.q_proj.weight", 0, 0, 0x9a314697b6a548ffull, 0xbe993cf0,
      0xbc39ad71, 0x3f6cd862 },
    { 0xffffffffffffffffull, "model.layers.15.self_attn.q_proj.weight", 1, 2, 0x9a314697b6a548ffull, 0x3ef64f50,
      0x3c97d556, 0x3f8955a6 },
    { 0xffffffffffffffffull, "model.layers.15.self_attn.q_proj.weight", 128255, 2047, 0x9a314697b6a548ffull, 0xbf3ebb7e,
      0xbce89939, 0x3f82c118 },
};

int main(void)
{
    const float scale = hash_scale(2048);
    for (int i = 0; i < (int)(sizeof vectors / sizeof *vectors); ++i) {
        const Vector *v = &vectors[i];
        const uint64_t key = hash_key(v->seed, v->name);
        ASSERT(key == v->key);
        ASSERT_INT(v->unit, half_to_bits(hash_unit(key, v->row, v->col)));
        ASSERT_INT(v->weight, half_to_bits(hash_weight(key, v->row, v->col, scale)));
        ASSERT_INT(v->norm, half_to_bits(hash_norm(key, v->col)));
    }
    double sum = 0, squares = 0;
    enum { ROWS = 8192, COLS = 2048 };
    const uint64_t key = hash_key(1, "model.layers.0.mlp.up_proj.weight");
    for (uint32_t r = 0; r < ROWS; ++r)
        for (uint32_t c = 0; c < COLS; ++c) {
            const double w = (double)hash_weight(key, r, c, scale);
            sum += w;
            squares += w * w;
        }
    // Uniform in +-sqrt(3 / K) with a mean of 0.25 / K: a row's dot product keeps its input's size, and a quarter of its mean.
    const double n = (double)ROWS * COLS, mean = sum / n;
    ASSERT(fabs(mean * COLS / 0.25 - 1) < 0.15);
    ASSERT(fabs((squares / n - mean * mean) * COLS - 1) < 0.01);
    return test_failed;
}
