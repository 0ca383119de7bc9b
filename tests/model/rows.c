// rows.c: rows MODEL FORMAT [WEIGHTS]: every row comes back in Hugging Face's order with the values that make.c wrote,
// rounded to FORMAT (vectors of a GGUF: F32).
#include "../test.h"

#include "llama_wants.h"
#include "tiny.h"

// What make.c wrote for a value in a format.
static float written(float value, const Format *f)
{
    unsigned char packed[8];
    float back;
    if (!f->pack)
        return rintf(value * 127.0f) * 0x1p-7f; // make.c's Q8_0: one scale for all
    f->pack(&value, packed, 1);
    f->unpack(packed, &back, 1);
    return back;
}

static void check_tensor(const Weights *w, const TinyTensor *want, const Format *matrices, const Format *vectors)
{
    const WeightTensor *t = weights_find(w, want->name);
    ASSERT(t != NULL);
    if (!t)
        return;
    ASSERT_INT(want->rows, t->rows);
    ASSERT_INT(want->cols, t->cols);
    const Format *f = want->rows == 1 ? vectors : matrices;
    ASSERT(t->format == f);
    float row[TINY_FFN];
    for (int r = 0; r < want->rows; ++r) {
        weights_row(w, t, r, row);
        for (int c = 0; c < want->cols; ++c)
            if (row[c] != written(tiny_value(want->name, r, c), f)) {
                printf("%s[%d][%d] is %.9g, wanted %.9g\n", want->name, r, c, (double)row[c],
                       (double)written(tiny_value(want->name, r, c), f));
                test_failed = 1;
                return;
            }
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    Arena *a = arena_new();
    Model *m = model_load(a, argv[1]);
    const Weights *w = weights_open(a, m, argc > 3 ? argv[3] : NULL);
    m->weights = w;
    const Format *f = format_find(argv[2]);
    const bool gguf = str_ends(argv[argc > 3 ? 3 : 1], ".gguf");
    const Wants wants = llama_wants(a, m);
    Diags d = { .arena = a };
    weights_check(a, w, wants.at, wants.n, &d);
    ASSERT_INT(0, diag_report(&d));
    ASSERT_INT(TINY_TENSORS, wants.n);
    for (int i = 0; i < TINY_TENSORS; ++i) {
        const TinyTensor t = tiny_tensor(i);
        check_tensor(w, &t, f, gguf ? &format_f32 : f);
    }
    ASSERT_STR(f == &format_f16 ? "F16" : "BF16", weights_stored(m, "model.layers.1.mlp.up_proj.weight")->name);
    ASSERT(weights_find(w, "model.layers.2.mlp.up_proj.weight") == NULL);
    uint64_t seed;
    ASSERT(!weights_random(w, &seed));
    arena_free(a);
    return test_failed;
}
