// reference.c: the model layer by layer in plain C, several positions at once.
#include "steps.h"
#include "sums.h"
#include "../hash.h"

#include <stdlib.h>
#include <string.h>

const PkgSchedule *step_schedule(const Reference *r, int position)
{
    for (uint32_t i = 0; i < r->p.plan->schedules; ++i)
        if ((uint32_t)position + 1 <= r->p.schedules[i].ctx_max)
            return &r->p.schedules[i];
    return &r->p.schedules[r->p.plan->schedules - 1];
}

static int find_matrix(const RefPlan *p, uint32_t role)
{
    for (uint32_t i = 0; i < p->plan->matrices; ++i)
        if (p->matrices[i].role == role)
            return (int)i;
    return -1;
}

static int find_norm(const RefPlan *p, uint32_t role)
{
    for (uint32_t i = 0; i < p->plan->norms; ++i)
        if (p->norms[i].role == role)
            return (int)i;
    return -1;
}

static void find_weights(Reference *r)
{
    r->embed = find_matrix(&r->p, PKG_EMBED);
    r->q = find_matrix(&r->p, PKG_Q);
    r->k = find_matrix(&r->p, PKG_K);
    r->v = find_matrix(&r->p, PKG_V);
    r->o = find_matrix(&r->p, PKG_O);
    r->gate = find_matrix(&r->p, PKG_GATE);
    r->up = find_matrix(&r->p, PKG_UP);
    r->down = find_matrix(&r->p, PKG_DOWN);
    r->head = find_matrix(&r->p, PKG_HEAD);
    r->head = r->head < 0 ? r->embed : r->head;
    r->norm_attention = find_norm(&r->p, PKG_NORM_ATTENTION);
    r->norm_ffn = find_norm(&r->p, PKG_NORM_FFN);
    r->norm_final = find_norm(&r->p, PKG_NORM_FINAL);
}

static float *floats(size_t n)
{
    return calloc(n + 256, sizeof(float)); // rows in lane order end in up to 248 zeros more
}

Reference *reference_open(const RefPlan *plan, const RefWeights *weights, int context, int positions)
{
    Reference *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    const PkgPlan *p = plan->plan;
    const size_t n = (size_t)positions, q_rows = (size_t)p->heads * p->head_dim, kv_rows = (size_t)p->kv_heads * p->head_dim;
    size_t widest = p->hidden > p->ffn ? p->hidden : p->ffn, parts = 1;
    widest = q_rows > widest ? q_rows : widest;
    for (uint32_t i = 0; i < p->schedules; ++i)
        parts = plan->schedules[i].parts > parts ? plan->schedules[i].parts : parts;
    r->p = *plan;
    r->w = *weights;
    r->positions = positions;
    r->cache.context = context;
    find_weights(r);
    r->cache.at = calloc((size_t)p->layers * 2 * kv_rows * (size_t)context, (size_t)step_kv_bytes(r));
    r->x = floats(n * p->hidden);
    r->y = floats(n * p->hidden);
    r->xs = floats(n * (size_t)sum_words32((int)widest) * 256);
    r->qkv = floats(n * (q_rows + 2 * kv_rows));
    r->values = floats(parts * q_rows);
    r->softmax = floats(parts * p->heads * 2);
    r->h = floats(n * p->ffn);
    r->row = floats(widest);
    r->lanes = floats(widest);
    r->gain = floats(p->hidden);
    r->half = floats(65536);
    for (uint32_t i = 0; r->half && i < 65536; ++i)
        r->half[i] = p->kv_format == PKG_F16 ? f16_to_float((uint16_t)i) : bf16_to_float((uint16_t)i);
    r->parts = r->down >= 0 ? floats(plan->matrices[r->down].slices) : NULL;
    if (!r->cache.at || !r->x || !r->y || !r->xs || !r->qkv || !r->values || !r->softmax || !r->h || !r->row || !r->lanes ||
        !r->gain || !r->parts || !r->half) {
        reference_close(r);
        return NULL;
    }
    return r;
}

void reference_close(Reference *r)
{
    if (!r)
        return;
    void *all[] = { r->cache.at, r->x, r->y, r->xs, r->qkv, r->values, r->softmax, r->h, r->row, r->lanes, r->gain, r->parts, r->half };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        free(all[i]);
    free(r);
}

// Row numbers as templates/fill_cache.cu counts them.
void reference_fill_cache(Reference *r, uint64_t seed, int n)
{
    const PkgPlan *p = r->p.plan;
    const uint64_t key = hash_key(seed, "cache");
    for (uint32_t which = 0; which < p->layers * 2 * p->kv_heads; ++which)
        for (int position = 0; position < n; ++position) {
            for (uint32_t d = 0; d < p->head_dim; ++d)
                r->row[d] = hash_unit(key, which * p->context + (uint32_t)position, d);
            step_kv_put(r, (int)(which / (2 * p->kv_heads)), (int)(which / p->kv_heads % 2), (int)(which % p->kv_heads),
                        position, r->row);
        }
}

void reference_run(Reference *r, const uint32_t *ids, int first, int n, float *logits)
{
    const PkgPlan *p = r->p.plan;
    const int q_rows = (int)(p->heads * p->head_dim), kv_rows = (int)(p->kv_heads * p->head_dim), stride = q_rows + 2 * kv_rows;
    step_embed(r, ids, n);
    for (int layer = 0; layer < (int)p->layers; ++layer) {
        step_norm(r, r->x, r->norm_attention, layer, first, n);
        step_gemv(r, r->q, layer, n, NULL, r->qkv, 0, stride);
        step_gemv(r, r->k, layer, n, NULL, r->qkv, q_rows, stride);
        step_gemv(r, r->v, layer, n, NULL, r->qkv, q_rows + kv_rows, stride);
        step_attend(r, layer, first, n);
        step_gemv(r, r->o, layer, n, r->x, r->y, 0, (int)p->hidden);
        step_norm(r, r->y, r->norm_ffn, layer, first, n);
        step_ffn(r, layer, first, n);
    }
    step_norm(r, r->x, r->norm_final, 0, first, n);
    step_gemv(r, r->head, 0, n, NULL, logits, 0, (int)p->vocab);
}
