// roundtrip.c: roundtrip MODELS: a plan that is written, read and written again has the same bytes and passes the same proof:
// every model of the folder, and small ones of other shapes, for every target.
#include "plans.h"

#include "../../compiler/base/file.h"

#include <unistd.h>

static void check_same(const Plan *p)
{
    Arena *a = p->arena;
    Diags d = { .arena = a };
    Str first = str_new(a), second = str_new(a), table = str_new(a), again = str_new(a);
    plan_write_json(p, &first);
    const Plan *q = plan_read_json(a, "plan.json", first.text, first.bytes);
    plan_write_json(q, &second);
    ASSERT(first.bytes == second.bytes && memcmp(first.text, second.text, first.bytes) == 0);
    plan_check(q, &d);
    ASSERT_INT(0, d.list.n);
    ASSERT(p->plan_fingerprint == q->plan_fingerprint && p->matrix_fingerprint == q->matrix_fingerprint);
    ASSERT(p->plan_fingerprint != 0 && p->matrix_fingerprint != p->plan_fingerprint);
    // What is derived, not read, is the same too: bytes, times, floor.
    plan_write_table(p, &table);
    plan_write_table(q, &again);
    ASSERT_STR(table.text, again.text);
}

static int check_model(const char *path, PlanOptions o)
{
    int n = 0, plans = 0;
    const char *const *targets = target_names(&n);
    for (int i = 0; i < n; ++i) {
        Arena *a = arena_new();
        if (fits_card(a, path, targets[i])) {
            check_same(plan_of(a, path, targets[i], o));
            ++plans;
        }
        arena_free(a);
    }
    return plans;
}

// Shapes that no shipped model has: one K/V head, one for each head, one layer, odd sizes that words must be padded for.
static const struct {
    const char *what;
    int hidden, heads, kv_heads, head_dim, ffn, layers, vocab;
} shapes[] = {
    { "one K/V head", 128, 8, 1, 16, 256, 2, 300 },   { "no group", 96, 6, 6, 16, 200, 3, 257 },
    { "one layer", 64, 1, 1, 64, 160, 1, 129 },       { "odd sizes", 72, 3, 3, 20, 100, 2, 101 },
    { "fewer rows than workers", 32, 2, 2, 16, 40, 2, 64 },
};

static const char *write_config(Arena *a, int i)
{
    const char *text = str_format(
        a, "{\"architectures\": [\"LlamaForCausalLM\"], \"model_type\": \"llama\", \"hidden_size\": %d, "
           "\"num_attention_heads\": %d, \"num_key_value_heads\": %d, \"head_dim\": %d, \"intermediate_size\": %d, "
           "\"num_hidden_layers\": %d, \"vocab_size\": %d, \"max_position_embeddings\": 4096, \"rms_norm_eps\": 1e-5, "
           "\"rope_theta\": 10000.0, \"hidden_act\": \"silu\", \"tie_word_embeddings\": %s, \"torch_dtype\": \"%s\", "
           "\"eos_token_id\": 2, \"bos_token_id\": 1}\n",
        shapes[i].hidden, shapes[i].heads, shapes[i].kv_heads, shapes[i].head_dim, shapes[i].ffn, shapes[i].layers,
        shapes[i].vocab, i % 2 ? "true" : "false", i % 2 ? "float16" : "bfloat16");
    const char *path = str_format(a, "roundtrip.%ld.json", (long)getpid());
    file_write_text(a, path, text, strlen(text));
    return path;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    setenv("LLMC_ARG_NO_WARN", ",balance,", 1);
    Arena *a = arena_new();
    int n = 0, plans = 0;
    const char *const *names = file_list(a, argv[1], &n);
    for (int i = 0; i < n; ++i)
        if (str_ends(names[i], ".json"))
            plans += check_model(str_join(a, argv[1], names[i]), (PlanOptions){ .ctx = 1024, .sync = -1, .feed = -1 });
    for (int i = 0; i < ARRAY_LEN(shapes); ++i) {
        const char *path = write_config(a, i);
        for (int kv = KV_F16; kv <= KV_F32; ++kv)
            plans += check_model(path, (PlanOptions){ .ctx = i % 2 ? 100 : 4096, .kv = (KvType)kv, .sync = -1, .feed = -1,
                                                      .redzone = kv == KV_F32 });
        unlink(path);
    }
    printf("%d plans\n", plans);
    ASSERT(plans > 150);
    arena_free(a);
    return test_failed;
}
