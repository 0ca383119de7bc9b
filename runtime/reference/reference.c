// reference.c: the model layer by layer in plain C, several positions at once.
#include "steps.h"
#include "sums.h"
#include "team.h"
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

static bool members_open(Reference *r, size_t widest)
{
    const PkgPlan *p = r->p.plan;
    size_t parts = 1;
    for (uint32_t i = 0; i < p->schedules; ++i)
        parts = r->p.schedules[i].parts > parts ? r->p.schedules[i].parts : parts;
    r->member = calloc((size_t)r->members, sizeof *r->member);
    for (int i = 0; r->member && i < r->members; ++i) {
        RefMember *m = &r->member[i];
        m->row = floats(widest);
        m->lanes = floats(widest);
        m->parts = r->down >= 0 ? floats(r->p.matrices[r->down].slices) : NULL;
        m->values = floats(parts * p->head_dim);
        m->softmax = floats(parts * 2);
        if (!m->row || !m->lanes || !m->parts || !m->values || !m->softmax)
            return false;
    }
    return r->member != NULL;
}

Reference *reference_open(const RefPlan *plan, const RefWeights *weights, int context, int positions, int members)
{
    Reference *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    const PkgPlan *p = plan->plan;
    const size_t n = (size_t)positions, q_rows = (size_t)p->heads * p->head_dim, kv_rows = (size_t)p->kv_heads * p->head_dim;
    size_t widest = p->hidden > p->ffn ? p->hidden : p->ffn;
    widest = q_rows > widest ? q_rows : widest;
    r->p = *plan;
    r->w = *weights;
    r->members = members ? members : team_members();
    r->cache.context = context;
    find_weights(r);
    r->cache.at = calloc((size_t)p->layers * 2 * kv_rows * (size_t)context, (size_t)step_kv_bytes(r));
    r->x = floats(n * p->hidden);
    r->y = floats(n * p->hidden);
    r->xs = floats(n * (size_t)sum_words32((int)widest) * 256);
    r->qkv = floats(n * (q_rows + 2 * kv_rows));
    r->h = floats(n * p->ffn);
    r->gain = floats(p->hidden);
    r->half = floats(65536);
    for (uint32_t i = 0; r->half && i < 65536; ++i)
        r->half[i] = p->kv_format == PKG_F16 ? f16_to_float((uint16_t)i) : bf16_to_float((uint16_t)i);
    if (!members_open(r, widest) || !r->cache.at || !r->x || !r->y || !r->xs || !r->qkv || !r->h || !r->gain || !r->half) {
        reference_close(r);
        return NULL;
    }
    return r;
}

static void free_all(void **at, int n)
{
    for (int i = 0; i < n; ++i)
        free(at[i]);
}

void reference_close(Reference *r)
{
    if (!r)
        return;
    for (int i = 0; r->member && i < r->members; ++i) {
        const RefMember *m = &r->member[i];
        free_all((void *[]){ m->row, m->lanes, m->parts, m->values, m->softmax }, 5);
    }
    free_all((void *[]){ r->member, r->cache.at, r->x, r->y, r->xs, r->qkv, r->h, r->gain, r->half }, 9);
    free(r);
}

typedef struct Fill {
    Reference *r;
    uint64_t key;
    int n; // positions
} Fill;

// K or V of one head of one layer. Row numbers as templates/fill_cache.cu counts them.
static void fill_heads(void *context, int member, int first, int last)
{
    const Fill *f = context;
    const PkgPlan *p = f->r->p.plan;
    float *row = f->r->member[member].row;
    const int heads = (int)p->kv_heads;
    for (int which = first; which < last; ++which)
        for (int position = 0; position < f->n; ++position) {
            for (uint32_t d = 0; d < p->head_dim; ++d)
                row[d] = hash_unit(f->key, (uint32_t)which * p->context + (uint32_t)position, d);
            step_kv_put(f->r, which / (2 * heads), which / heads % 2, which % heads, position, row);
        }
}

void reference_fill_cache(Reference *r, uint64_t seed, int n)
{
    const PkgPlan *p = r->p.plan;
    Fill f = { r, hash_key(seed, "cache"), n };
    team_run(r->members, (int)(p->layers * 2 * p->kv_heads), n * (int)p->head_dim, fill_heads, &f);
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
