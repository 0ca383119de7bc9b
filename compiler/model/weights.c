// weights.c: one view of tensors, whatever they come from.
#include "parts.h"

#include "../../runtime/hash.h"
#include "../base/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

struct Weights {
    Arena *arena;
    const char *path; // for messages
    bool random;
    uint64_t seed;
    WeightTensors *tensors; // sorted by name; random weights get theirs from weights_check
};

static const char *const embedding_name = "model.embed_tokens.weight", *const head_name = "lm_head.weight";

static int by_name(const void *a, const void *b)
{
    return strcmp(((const WeightTensor *)a)->name, ((const WeightTensor *)b)->name);
}

static void sort_and_refuse_twice(WeightTensors *t)
{
    if (t->n)
        qsort(t->at, (size_t)t->n, sizeof *t->at, by_name);
    for (int i = 1; i < t->n; ++i)
        if (str_equal(t->at[i - 1].name, t->at[i].name))
            error_at(t->at[i].at, ERR_SHARD_INDEX, "%s is there twice", t->at[i].name);
}

static Weights *weights_new(Arena *a, const char *path)
{
    Weights *w = arena_alloc(a, sizeof *w);
    w->arena = a;
    w->path = path;
    w->tensors = arena_alloc(a, sizeof *w->tensors);
    return w;
}

const WeightTensor *weights_find(const Weights *w, const char *name)
{
    const WeightTensor key = { .name = name };
    return w->tensors->n ? bsearch(&key, w->tensors->at, (size_t)w->tensors->n, sizeof key, by_name) : NULL;
}

static bool same_tensor(const WeightTensor *a, const WeightTensor *b)
{
    return a->format == b->format && a->rows == b->rows && a->cols == b->cols &&
           memcmp(a->data, b->data, (size_t)(format_bytes(a->format, a->cols) * a->rows)) == 0;
}

// Whether the head is the embedding is said by the config and shown by the file. Returns what holds: true, tied.
static bool decide_tied(Weights *w, const Model *m)
{
    const WeightTensor *head = weights_find(w, head_name), *embedding = weights_find(w, embedding_name);
    if (!embedding || m->tied_embedding == !head)
        return m->tied_embedding;
    if (!m->tied_embedding) {
        warning_at(loc_file(w->path), "tied", "%s is missing though the config unties it: the embedding is used",
                   head_name);
        return true;
    }
    if (!same_tensor(head, embedding))
        error_at(head->at, ERR_TENSOR_TIED, "%s differs from %s, but the config ties them", head_name, embedding_name);
    note("%s equals the embedding, to which the config ties it: it is not read twice", head_name);
    const int at = (int)(head - w->tensors->at);
    --w->tensors->n;
    memmove(w->tensors->at + at, w->tensors->at + at + 1, (size_t)(w->tensors->n - at) * sizeof *head);
    return true;
}

const Weights *weights_of_folder(Arena *a, Model *m, const char *dir)
{
    Weights *w = weights_new(a, dir);
    if (!safetensors_folder(a, dir, w->tensors)) {
        note("%s has no weights: the model is known by its config alone", dir);
        return NULL;
    }
    sort_and_refuse_twice(w->tensors);
    m->tied_embedding = decide_tied(w, m);
    return w;
}

const Weights *weights_of_gguf(Arena *a, Model *m, const Gguf *g)
{
    Weights *w = weights_new(a, g->path);
    gguf_weights(a, g, m, true, w->tensors);
    sort_and_refuse_twice(w->tensors);
    return w;
}

static const Weights *random_weights(Arena *a, const char *spec)
{
    const char *digits = spec + strlen("random:");
    char *end = NULL;
    errno = 0;
    const unsigned long long seed = strtoull(digits, &end, 10);
    if (!isdigit((unsigned char)*digits) || *end || errno)
        error_at(NOWHERE, ERR_OPTION_VALUE, "weights \"%s\": the seed must be a whole number from 0 to %llu", spec,
                 (unsigned long long)UINT64_MAX);
    Weights *w = weights_new(a, spec);
    w->random = true;
    w->seed = seed;
    return w;
}

// A model that does not tie its head, with a file that has none: the head's name then finds the embedding.
static void add_head(Weights *w)
{
    WeightTensor head = *weights_find(w, embedding_name);
    head.name = head_name;
    vec_push(w->arena, w->tensors, head);
    sort_and_refuse_twice(w->tensors);
}

const Weights *weights_open(Arena *a, const Model *m, const char *spec)
{
    if (!spec)
        return m->weights;
    if (str_equal(spec, "none"))
        return NULL;
    if (str_starts(spec, "random:"))
        return random_weights(a, spec);
    if (str_equal(spec, "random") && !file_exists(spec))
        error_at(NOWHERE, ERR_OPTION_VALUE, "weights \"random\": a seed was expected, as in random:1");
    Weights *w = weights_new(a, spec);
    if (file_is_dir(spec)) {
        const char *config = file_in_folder(a, spec, "config.json");
        if (config)
            model_want_same(a, config_model(a, config), m);
        if (!safetensors_folder(a, spec, w->tensors))
            error_at(loc_file(spec), ERR_FILE_MISSING, "the folder has no .safetensors");
    } else if (str_ends(spec, ".safetensors")) {
        safetensors_file(a, spec, w->tensors);
    } else if (str_ends(spec, ".json")) {
        safetensors_index(a, spec, w->tensors);
    } else {
        gguf_weights(a, gguf_open(a, spec), m, false, w->tensors);
    }
    sort_and_refuse_twice(w->tensors);
    if (decide_tied(w, m) && !m->tied_embedding)
        add_head(w);
    return w;
}

// Row of the file that holds row `row` in Hugging Face's order. GGUF keeps the two halves of a head in pairs:
// row j * half + i of a head (j 0 or 1) lies at 2 i + j.
static int file_row(const WeightTensor *t, int row)
{
    if (!t->interleaved_heads)
        return row;
    const int head_rows = t->rows / t->interleaved_heads, half = head_rows / 2;
    const int head = row / head_rows, r = row % head_rows;
    return head * head_rows + 2 * (r % half) + r / half;
}

void weights_row(const Weights *w, const WeightTensor *t, int row, float *out)
{
    if (!w->random) {
        t->format->unpack(t->data + format_bytes(t->format, t->cols) * file_row(t, row), out, t->cols);
        return;
    }
    const uint64_t key = hash_key(w->seed, t->name);
    const bool norm = t->rows == 1 && strstr(t->name, "norm");
    const float scale = hash_scale(t->cols);
    for (int i = 0; i < t->cols; ++i)
        out[i] = norm ? hash_norm(key, (uint32_t)i) : hash_weight(key, (uint32_t)row, (uint32_t)i, scale);
}

static const char *shape_text(Arena *a, const WeightTensor *t)
{
    if (t->rank == 1)
        return str_format(a, "[%d]", t->cols);
    if (t->rank == 2)
        return str_format(a, "[%d x %d]", t->rows, t->cols);
    return str_format(a, "of %d dimensions", t->rank);
}

static void check_want(Arena *a, const Weights *w, const WeightWant *want, Diags *d)
{
    const WeightTensor *t = weights_find(w, want->name);
    const WeightTensor wanted = { .rank = want->rows == 1 ? 1 : 2, .rows = want->rows, .cols = want->cols };
    if (!t)
        diag_add(d, loc_file(w->path), ERR_TENSOR_MISSING, "%s %s is missing", want->name, shape_text(a, &wanted));
    else if (t->rows != want->rows || t->cols != want->cols)
        diag_add(d, t->at, ERR_TENSOR_SHAPE, "%s is %s: the model needs %s", t->name, shape_text(a, t),
                 shape_text(a, &wanted));
}

static int by_want(const void *a, const void *b)
{
    return strcmp((*(const WeightWant *const *)a)->name, (*(const WeightWant *const *)b)->name);
}

// Old checkpoints hold the rope frequencies as buffers; they follow from the config.
static bool is_irrelevant(const char *name)
{
    return str_ends(name, "rotary_emb.inv_freq");
}

void weights_check(Arena *a, const Weights *w, const WeightWant *wants, int n, Diags *d)
{
    const WeightWant **sorted = arena_alloc(a, (size_t)n * sizeof *sorted); // [n]
    for (int i = 0; i < n; ++i)
        sorted[i] = &wants[i];
    if (n)
        qsort(sorted, (size_t)n, sizeof *sorted, by_want);
    if (w->random) {
        w->tensors->n = 0;
        for (int i = 0; i < n; ++i) {
            const WeightTensor t = { .name = sorted[i]->name,
                                     .format = &format_f32,
                                     .rank = sorted[i]->rows == 1 ? 1 : 2,
                                     .rows = sorted[i]->rows,
                                     .cols = sorted[i]->cols,
                                     .at = loc_file(w->path) };
            vec_push(w->arena, w->tensors, t);
        }
        return;
    }
    for (int i = 0; i < n; ++i)
        check_want(a, w, &wants[i], d);
    for (int i = 0; i < w->tensors->n; ++i) {
        const WeightTensor *t = &w->tensors->at[i];
        const WeightWant key = { .name = t->name };
        const WeightWant *at = &key;
        if (!is_irrelevant(t->name) && (!n || !bsearch(&at, sorted, (size_t)n, sizeof *sorted, by_want)))
            diag_add(d, t->at, ERR_TENSOR_UNKNOWN, "%s %s is in the weights, but the model does not use it", t->name,
                     shape_text(a, t));
    }
}

const Format *weights_stored(const Model *m, const char *name)
{
    if (!m->weights || m->weights->random)
        return m->format;
    const WeightTensor *t = weights_find(m->weights, name);
    return t ? format_find(t->format->stored) : m->format;
}

bool weights_random(const Weights *w, uint64_t *seed)
{
    if (w->random)
        *seed = w->seed;
    return w->random;
}

int64_t weights_bytes(const Weights *w)
{
    int64_t bytes = 0;
    for (int i = 0; i < w->tensors->n; ++i)
        bytes += format_bytes(w->tensors->at[i].format, w->tensors->at[i].cols) * w->tensors->at[i].rows;
    return bytes;
}
