// facts.c: facts.c MODELS: the shipped models load; a model's JSON reads back as itself; names; random weights.
#include "../base/capture.h"

#include "../../compiler/base/file.h"
#include "../../runtime/hash.h"
#include "llama_wants.h"

static const char *json_of(Arena *a, const Model *m)
{
    Str out = str_new(a);
    model_write_json(m, &out);
    return out.text;
}

static void reads_back_what_it_writes(Arena *a, const Model *m)
{
    const char *text = json_of(a, m);
    ASSERT(strchr(text, '\n') == NULL);
    const Model *back = model_read_json(a, json_parse(a, "model", text, strlen(text), -1));
    ASSERT_STR(text, json_of(a, back));
    ASSERT_INT(m->layers, back->layers);
    ASSERT_INT(m->rope.type, back->rope.type);
    ASSERT(m->rope.theta == back->rope.theta && m->norm_eps == back->norm_eps);
    ASSERT_INT(m->n_eos, back->n_eos);
    ASSERT_INT(0, back->class_of_layer[back->layers - 1]);
}

static void loads_every_shipped_model(Arena *a, const char *folder)
{
    int n;
    const char *const *names = file_list(a, folder, &n);
    ASSERT(n >= 9);
    for (int i = 0; i < n; ++i) {
        const Model *m = model_load(a, str_join(a, folder, names[i]));
        ASSERT_STR(names[i], str_format(a, "%s.json", m->name));
        ASSERT_INT(1, m->n_classes);
        ASSERT(m->weights == NULL);
        reads_back_what_it_writes(a, m);
    }
}

// The facts of Llama-3.2-1B as published, and the one line that plan.json holds of them.
static void knows_llama(Arena *a, const char *folder)
{
    const Model *m = model_load(a, str_join(a, folder, "llama-3.2-1b.json"));
    ASSERT_STR(
        "{\"arch\": \"llama\", \"layers\": 16, \"hidden\": 2048, \"heads\": 32, \"kv_heads\": 8, \"head_dim\": 64, "
        "\"ffn\": 8192, \"vocab\": 128256, \"max_tokens\": 131072, \"norm_eps\": 1e-05, \"rope\": {\"type\": "
        "\"llama3\", "
        "\"theta\": 5e+05, \"factor\": 32, \"low_freq_factor\": 1, \"high_freq_factor\": 4, "
        "\"original_max_tokens\": 8192}, \"tied_embedding\": true, \"format\": \"BF16\", \"bos\": 128000, "
        "\"eos\": [128001, 128008, 128009]}",
        json_of(a, m));
}

static void keeps_every_rope(Arena *a, const char *folder)
{
    Model *m = model_load(a, str_join(a, folder, "tiny.json"));
    float factors[16];
    for (int i = 0; i < 16; ++i)
        factors[i] = 1.0f + (float)i * 0.1f;
    m->norm_eps = 0.1 + 0.2 - 0.25; // seventeen digits
    m->rope.theta = 1e6 / 3;
    m->bos = -1;
    m->n_eos = 0;
    for (int type = ROPE_DEFAULT; type <= ROPE_FACTORS; ++type) {
        m->rope.type = (RopeType)type;
        m->rope.factor = 1.0 / 3 + 2;
        m->rope.low_freq_factor = 1;
        m->rope.high_freq_factor = 4;
        m->rope.original_max_tokens = 8192;
        m->rope.factors = factors;
        reads_back_what_it_writes(a, m);
    }
    const char *text = json_of(a, m);
    const Model *back = model_read_json(a, json_parse(a, "model", text, strlen(text), -1));
    ASSERT(memcmp(factors, back->rope.factors, sizeof factors) == 0);
}

// A model's JSON with one text replaced, and what is said of it.
typedef struct Edit {
    const char *from, *to, *want;
    const char *whole;
} Edit;

static void read_edited(void *what)
{
    const Edit *e = what;
    Arena *a = arena_new();
    const char *at = strstr(e->whole, e->from);
    const char *text = str_format(a, "%.*s%s%s", (int)(at - e->whole), e->whole, e->to, at + strlen(e->from));
    model_read_json(a, json_parse(a, "plan", text, strlen(text), -1));
}

static void refuses_edited_facts(Arena *a, const char *folder)
{
    static const Edit edits[] = {
        { "\"layers\": 2", "\"layers\": 2000000", "layers is 2000000: must be a whole number from 1 to 512 [E0303]",
          NULL },
        { "\"kv_heads\": 2", "\"kv_heads\": 3", "kv_heads is 3: must divide heads (4) [E0401]", NULL },
        { "\"kv_heads\": 2", "\"kv_heads\": 8", "kv_heads is 8: must be a whole number from 1 to 4 [E0303]", NULL },
        { "\"head_dim\": 32", "\"head_dim\": 31", "head_dim is 31: must be even [E0401]", NULL },
        { "\"BF16\"", "\"Q8_0\"", "format is \"Q8_0\": not a format of packed matrices [E0401]", NULL },
        { "\"default\"", "\"yarn\"", "unknown rope type \"yarn\" [E0412]", NULL },
        { "\"default\"", "\"factors\", \"factors\": [1, 2]",
          "factors has 2 elements: must have head_dim / 2 = 16 [E0413]", NULL },
        { "\"default\"", "\"linear\"", "rope.factor is missing [E0303]", NULL },
        { "[2]", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]", "more than 16 ids end a text [E0401]", NULL },
        { "[2]", "[512]", "eos[0] is 512: must be a whole number from 0 to 511 [E0303]", NULL },
        { "\"ffn\": 320, ", "", "ffn is missing [E0303]", NULL },
    };
    const char *whole = json_of(a, model_load(a, str_join(a, folder, "tiny.json")));
    for (int i = 0; i < ARRAY_LEN(edits); ++i) {
        Edit e = edits[i];
        e.whole = whole;
        Captured got = capture(read_edited, &e);
        got.text[strcspn(got.text, "\n")] = 0;
        const char *message = strstr(got.text, "error: ");
        ASSERT_STR(edits[i].want, message ? message + 7 : got.text);
        ASSERT_INT(3, got.code);
    }
}

// runtime/hash.h decides the values; a tensor's name and kind decide which of its formulas.
static void makes_random_weights(Arena *a, const char *folder)
{
    Model *m = model_load(a, str_join(a, folder, "tiny.json"));
    const Weights *w = weights_open(a, m, "random:42");
    uint64_t seed = 0;
    ASSERT(weights_random(w, &seed) && seed == 42);
    ASSERT(weights_find(w, "model.norm.weight") == NULL);
    const Wants wants = llama_wants(a, m);
    Diags d = { .arena = a };
    weights_check(a, w, wants.at, wants.n, &d);
    weights_check(a, w, wants.at, wants.n, &d); // twice is as good as once
    ASSERT_INT(0, diag_report(&d));
    float row[320];
    const WeightTensor *up = weights_find(w, "model.layers.1.mlp.up_proj.weight");
    ASSERT(up && up->rows == 320 && up->cols == 128);
    weights_row(w, up, 3, row);
    ASSERT(row[5] == hash_weight(hash_key(42, up->name), 3, 5, hash_scale(128)));
    const WeightTensor *norm = weights_find(w, "model.layers.0.input_layernorm.weight");
    ASSERT(norm && norm->rows == 1 && norm->cols == 128);
    weights_row(w, norm, 0, row);
    ASSERT(row[7] == hash_norm(hash_key(42, norm->name), 7));
    m->weights = w;
    m->format = &format_f16;
    ASSERT_STR("F16", weights_stored(m, up->name)->name);
    ASSERT(weights_open(a, m, "none") == NULL);
    ASSERT(weights_open(a, m, NULL) == w);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    Arena *a = arena_new();
    loads_every_shipped_model(a, argv[1]);
    knows_llama(a, argv[1]);
    keeps_every_rope(a, argv[1]);
    refuses_edited_facts(a, argv[1]);
    makes_random_weights(a, argv[1]);
    arena_free(a);
    return test_failed;
}
