// model.c: a Model as JSON, as text, and its layer classes.
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const rope_names[] = { "default", "linear", "llama3", "factors" };

void model_set_classes(Arena *a, Model *m)
{
    LayerClass *one = arena_alloc(a, sizeof *one);
    one->name = "layer";
    m->classes = one;
    m->n_classes = 1;
    m->class_of_layer = arena_alloc(a, (size_t)m->layers * sizeof *m->class_of_layer); // zeroed
}

// The shortest decimal text that reads back as the same double.
static void add_double(Str *out, double v)
{
    char text[40];
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    str_add(out, "%s", text);
}

static void write_rope(const Model *m, Str *out)
{
    const Rope *r = &m->rope;
    str_add(out, "{\"type\": \"%s\", \"theta\": ", rope_names[r->type]);
    add_double(out, r->theta);
    if (r->type == ROPE_LINEAR || r->type == ROPE_LLAMA3) {
        str_add(out, ", \"factor\": ");
        add_double(out, r->factor);
    }
    if (r->type == ROPE_LLAMA3) {
        str_add(out, ", \"low_freq_factor\": ");
        add_double(out, r->low_freq_factor);
        str_add(out, ", \"high_freq_factor\": ");
        add_double(out, r->high_freq_factor);
        str_add(out, ", \"original_max_tokens\": %d", r->original_max_tokens);
    }
    if (r->type == ROPE_FACTORS) {
        str_add(out, ", \"factors\": [");
        for (int i = 0; i < m->head_dim / 2; ++i) {
            str_add(out, i ? ", " : "");
            add_double(out, (double)r->factors[i]);
        }
        str_add(out, "]");
    }
    str_add(out, "}");
}

void model_write_json(const Model *m, Str *out)
{
    str_add(out,
            "{\"arch\": \"%s\", \"layers\": %d, \"hidden\": %d, \"heads\": %d, \"kv_heads\": %d, \"head_dim\": %d, ",
            m->arch, m->layers, m->hidden, m->heads, m->kv_heads, m->head_dim);
    str_add(out, "\"ffn\": %d, \"vocab\": %d, \"max_tokens\": %d, \"norm_eps\": ", m->ffn, m->vocab, m->max_tokens);
    add_double(out, m->norm_eps);
    str_add(out, ", \"rope\": ");
    write_rope(m, out);
    str_add(out, ", \"tied_embedding\": %s, \"format\": \"%s\", \"bos\": %d, \"eos\": [",
            m->tied_embedding ? "true" : "false", m->format->name, m->bos);
    for (int i = 0; i < m->n_eos; ++i)
        str_add(out, "%s%d", i ? ", " : "", m->eos[i]);
    str_add(out, "]}");
}

static Rope read_rope(Arena *a, Json object, int head_dim)
{
    const char *type = want_str(object, "type");
    Rope r = { .theta = want_double(object, "theta", 1, 1e15) };
    int kind = 0;
    while (kind < ARRAY_LEN(rope_names) && !str_equal(rope_names[kind], type))
        ++kind;
    if (kind == ARRAY_LEN(rope_names))
        error_at(loc_hint(json_loc(json_get(object, "type")), "supported: default linear llama3 factors"),
                 ERR_ROPE_TYPE, "unknown rope type \"%s\"", type);
    r.type = (RopeType)kind;
    if (r.type == ROPE_LINEAR || r.type == ROPE_LLAMA3)
        r.factor = want_double(object, "factor", 1, 1e9);
    if (r.type == ROPE_LLAMA3) {
        r.low_freq_factor = want_double(object, "low_freq_factor", 1e-9, 1e9);
        r.high_freq_factor = want_double(object, "high_freq_factor", r.low_freq_factor, 1e9);
        r.original_max_tokens = (int)want_int(object, "original_max_tokens", 1, TOKENS_MOST);
    }
    if (r.type == ROPE_FACTORS) {
        const Json list = want_array(object, "factors");
        float *factors = arena_alloc(a, (size_t)(head_dim / 2) * sizeof *factors); // [head_dim / 2]
        int i = 0;
        for (Json v = json_first(list); v.node && i < head_dim / 2; v = json_next(v))
            factors[i++] = (float)json_double(v, 1e-9, 1e9);
        if (i != head_dim / 2 || json_count(list) != i)
            error_at(json_loc(list), ERR_ROPE_VALUE, "factors has %d elements: must have head_dim / 2 = %d",
                     json_count(list), head_dim / 2);
        r.factors = factors;
    }
    return r;
}

Model *model_read_json(Arena *a, Json section)
{
    Model *m = arena_alloc(a, sizeof *m);
    m->arch = want_str(section, "arch");
    m->name = m->arch;
    m->layers = (int)want_int(section, "layers", 1, LAYERS_MOST);
    m->hidden = (int)want_int(section, "hidden", HIDDEN_LEAST, HIDDEN_MOST);
    m->heads = (int)want_int(section, "heads", 1, HEADS_MOST);
    m->kv_heads = (int)want_int(section, "kv_heads", 1, m->heads);
    m->head_dim = (int)want_int(section, "head_dim", 2, HEAD_DIM_MOST);
    if (m->heads % m->kv_heads)
        error_at(json_loc(json_get(section, "kv_heads")), ERR_CONFIG_VALUE, "kv_heads is %d: must divide heads (%d)",
                 m->kv_heads, m->heads);
    if (m->head_dim % 2)
        error_at(json_loc(json_get(section, "head_dim")), ERR_CONFIG_VALUE, "head_dim is %d: must be even",
                 m->head_dim);
    m->ffn = (int)want_int(section, "ffn", 2, FFN_MOST);
    m->vocab = (int)want_int(section, "vocab", 2, VOCAB_MOST);
    m->max_tokens = (int)want_int(section, "max_tokens", 1, TOKENS_MOST);
    m->norm_eps = want_double(section, "norm_eps", 1e-12, 0.1);
    m->rope = read_rope(a, want_object(section, "rope"), m->head_dim);
    m->tied_embedding = want_bool(section, "tied_embedding");
    m->format = format_find(want_str(section, "format"));
    if (!m->format || !m->format->dot8)
        error_at(loc_hint(json_loc(json_get(section, "format")), "supported: BF16 F16"), ERR_CONFIG_VALUE,
                 "format is \"%s\": not a format of packed matrices", want_str(section, "format"));
    m->bos = (int)want_int(section, "bos", -1, m->vocab - 1);
    for (Json v = json_first(want_array(section, "eos")); v.node; v = json_next(v)) {
        if (m->n_eos == MODEL_EOS)
            error_at(json_loc(v), ERR_CONFIG_VALUE, "more than %d ids end a text", MODEL_EOS);
        m->eos[m->n_eos++] = (int)json_int(v, 0, m->vocab - 1);
    }
    m->source = MODEL_CONFIG;
    m->at = json_loc(section);
    model_set_classes(a, m);
    return m;
}

static void print_rope(const Model *m, Str *out)
{
    const Rope *r = &m->rope;
    str_add(out, "rope          %s, theta %.10g", rope_names[r->type], r->theta);
    if (r->type == ROPE_LINEAR)
        str_add(out, ", factor %.10g", r->factor);
    if (r->type == ROPE_LLAMA3)
        str_add(out, ", factor %.10g, low %.10g, high %.10g, original %d", r->factor, r->low_freq_factor,
                r->high_freq_factor, r->original_max_tokens);
    if (r->type == ROPE_FACTORS)
        str_add(out, ", divided by %d factors of %.9g to %.9g", m->head_dim / 2, (double)r->factors[0],
                (double)r->factors[m->head_dim / 2 - 1]);
    str_add(out, "\n");
}

void model_print(const Model *m, Str *out)
{
    static const char *const sources[] = { "config.json", "folder", "GGUF" };
    str_add(out, "name          %s\narch          %s\nsource        %s\n", m->name, m->arch, sources[m->source]);
    str_add(out, "layers        %d\nhidden        %d\nheads         %d\nkv_heads      %d\nhead_dim      %d\n",
            m->layers, m->hidden, m->heads, m->kv_heads, m->head_dim);
    str_add(out, "ffn           %d\nvocab         %d\nmax_tokens    %d\nnorm_eps      %.9g\n", m->ffn, m->vocab,
            m->max_tokens, m->norm_eps);
    print_rope(m, out);
    str_add(out, "embedding     %s\n", m->tied_embedding ? "tied: lm_head is the embedding" : "not tied");
    str_add(out, "format        %s\n", m->format->name);
    str_add(out, "bos           %s\n", m->bos < 0 ? "none" : str_format(out->arena, "%d", m->bos));
    str_add(out, "eos           %s", m->n_eos ? "" : "none");
    for (int i = 0; i < m->n_eos; ++i)
        str_add(out, "%s%d", i ? " " : "", m->eos[i]);
    str_add(out, "\n");
}
