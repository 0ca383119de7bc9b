// attend.c: attention of one position over its cache: streams of an online softmax, merged as templates/attend.cu merges them.
#include "steps.h"
#include "sums.h"
#include "team.h"

#include <string.h>

enum { DIMS = 256 };

// What one stream, one warp or one part knows: the largest score, the sum of 2^(score - largest), the weighted values.
typedef struct Soft {
    float most, sum, o[DIMS];
} Soft;

int step_kv_bytes(const Reference *r)
{
    return r->p.plan->kv_format == PKG_F32 ? 4 : 2;
}

static size_t kv_index(const Reference *r, int layer, int v, int head, int position)
{
    const PkgPlan *p = r->p.plan;
    const size_t head_index = ((size_t)layer * 2 + (size_t)v) * p->kv_heads + (size_t)head;
    return (head_index * (size_t)r->cache.context + (size_t)position) * p->head_dim;
}

void step_kv_put(Reference *r, int layer, int v, int head, int position, const float *row)
{
    const size_t at = kv_index(r, layer, v, head, position);
    for (uint32_t d = 0; d < r->p.plan->head_dim; ++d)
        if (r->p.plan->kv_format == PKG_F32)
            ((float *)r->cache.at)[at + d] = row[d];
        else
            ((uint16_t *)r->cache.at)[at + d] = r->p.plan->kv_format == PKG_F16 ? f16_from_float(row[d]) : bf16_from_float(row[d]);
}

void step_kv_get(const Reference *r, int layer, int v, int head, int position, float *row)
{
    const size_t at = kv_index(r, layer, v, head, position);
    for (uint32_t d = 0; d < r->p.plan->head_dim; ++d)
        row[d] = r->p.plan->kv_format == PKG_F32 ? ((const float *)r->cache.at)[at + d] : r->half[((const uint16_t *)r->cache.at)[at + d]];
}

// Of q, k and v of one position.
static size_t qkv_floats(const PkgPlan *p)
{
    return (p->heads + 2 * p->kv_heads) * p->head_dim;
}

// Both halves of a head turned by the position's angles.
static void turn(const Reference *r, const float *from, int position, float scale, float *to)
{
    const int half = (int)r->p.plan->head_dim / 2;
    for (int d = 0; d < half; ++d) {
        const double angle = (double)position * r->p.rope[d];
        const float c = (float)cos(angle), s = (float)sin(angle), a = from[d], b = from[d + half];
        to[d] = fmaf(a, c, -(b * s)) * scale;
        to[d + half] = fmaf(b, c, a * s) * scale;
    }
}

static void keep(Reference *r, int layer, int position, const float *qkv)
{
    const PkgPlan *p = r->p.plan;
    float key[DIMS];
    for (int head = 0; head < (int)p->kv_heads; ++head) {
        const float *k = qkv + (p->heads + (uint32_t)head) * p->head_dim;
        turn(r, k, position, 1.0f, key);
        step_kv_put(r, layer, 0, head, position, key);
        step_kv_put(r, layer, 1, head, position, k + p->kv_heads * p->head_dim);
    }
}

// A head's numbers as sum_score wants them: dimension l * 8 + d at d * lanes + l, zeros behind the last.
static void lane_order(const float *from, int dim, int lanes, float *to)
{
    memset(to, 0, (size_t)lanes * 8 * sizeof *to);
    for (int i = 0; i < dim; ++i)
        to[i % 8 * lanes + i / 8] = from[i];
}

// `chunk` positions from `at` on, `streams` apart, through one stream; q in lane order.
static void soften(const Reference *r, int layer, int head, int at, int position, const float *q, const PkgSchedule *s, Soft *soft)
{
    const int dim = (int)r->p.plan->head_dim, lanes = (int)s->attend_lanes;
    float scores[8], higher = soft->most, row[DIMS], key[DIMS];
    for (int j = 0; j < (int)s->attend_chunk; ++j) {
        const int where = at + j * (int)s->attend_streams;
        if (where > position)
            continue;
        step_kv_get(r, layer, 0, head, where, row);
        lane_order(row, dim, lanes, key);
        scores[j] = sum_score(key, q, lanes);
        higher = fmaxf(higher, scores[j]);
    }
    const float share = sum_exp2(soft->most - higher);
    soft->most = higher;
    soft->sum *= share;
    for (int d = 0; d < dim; ++d)
        soft->o[d] *= share;
    for (int j = 0; j < (int)s->attend_chunk; ++j) {
        const int where = at + j * (int)s->attend_streams;
        if (where > position)
            continue;
        const float p = sum_exp2(scores[j] - higher);
        soft->sum += p;
        step_kv_get(r, layer, 1, head, where, row);
        sum_add(p, row, soft->o, dim);
    }
}

// Streams of one warp by a tree: partners at distance 1, 2, ..; the lower one takes the higher one in.
static void merge_warp(Soft *soft, int n, int dim)
{
    for (int d = 1; d < n; d *= 2)
        for (int i = 0; i + d < n; i += 2 * d) {
            Soft *a = &soft[i], *b = &soft[i + d];
            const float higher = fmaxf(a->most, b->most), mine = sum_exp2(a->most - higher), theirs = sum_exp2(b->most - higher);
            a->most = higher;
            a->sum = fmaf(b->sum, theirs, a->sum * mine);
            for (int k = 0; k < dim; ++k)
                a->o[k] = fmaf(b->o[k], theirs, a->o[k] * mine);
        }
}

// One part of one query head: values[head_dim], softmax {most, sum}.
static void attend_part(const Reference *r, int layer, int head, int position, int part, const float *q, const PkgSchedule *s,
                        float *values, float *softmax)
{
    const int dim = (int)r->p.plan->head_dim, a_warp = 32 / (int)s->attend_lanes, warps = (int)s->attend_streams / a_warp;
    Soft soft[32], one[32] = { 0 }; // streams of one warp; the warps
    for (int w = 0; w < warps; ++w) {
        for (int g = 0; g < a_warp; ++g) {
            memset(&soft[g], 0, sizeof soft[g]);
            soft[g].most = -1e30f;
            for (int tile = part; tile * (int)s->attend_tile <= position; tile += (int)s->parts)
                soften(r, layer, head, tile * (int)s->attend_tile + w * a_warp + g, position, q, s, &soft[g]);
        }
        merge_warp(soft, a_warp, dim);
        one[w] = soft[0];
    }
    softmax[0] = one[0].most;
    for (int w = 1; w < warps; ++w)
        softmax[0] = fmaxf(softmax[0], one[w].most);
    softmax[1] = 0.0f;
    memset(values, 0, (size_t)dim * sizeof *values);
    for (int w = 0; w < warps; ++w) {
        const float share = sum_exp2(one[w].most - softmax[0]);
        softmax[1] = fmaf(one[w].sum, share, softmax[1]);
        for (int d = 0; d < dim; ++d)
            values[d] = fmaf(one[w].o[d], share, values[d]);
    }
}

// The parts of one head merged, as templates/stage_merge.cu does.
static void merge_parts(const RefMember *m, int parts, int dim, float *to)
{
    float most = m->softmax[0], sum = 0.0f;
    for (int part = 1; part < parts; ++part)
        most = fmaxf(most, m->softmax[2 * part]);
    for (int part = 0; part < parts; ++part)
        sum = fmaf(m->softmax[2 * part + 1], sum_exp2(m->softmax[2 * part] - most), sum);
    memset(to, 0, (size_t)dim * sizeof *to);
    for (int part = 0; part < parts; ++part)
        sum_add(sum_exp2(m->softmax[2 * part] - most) / sum, m->values + part * dim, to, dim);
}

typedef struct Attend {
    Reference *r;
    int layer, first; // position
} Attend;

// Heads of all positions, one position after the other; each head's result takes the place of its query.
static void attend_heads(void *context, int member, int first, int last)
{
    const Attend *a = context;
    const PkgPlan *p = a->r->p.plan;
    const RefMember *m = &a->r->member[member];
    const int heads = (int)p->heads, dim = (int)p->head_dim, group = heads / (int)p->kv_heads;
    const float scale = (float)(1.4426950408889634 / sqrt((double)dim));
    float turned[DIMS], q[DIMS];
    for (int item = first; item < last; ++item) {
        const int i = item / heads, head = item % heads, position = a->first + i;
        const PkgSchedule *s = step_schedule(a->r, position);
        float *query = a->r->qkv + (size_t)i * qkv_floats(p) + (size_t)(head * dim);
        turn(a->r, query, position, scale, turned);
        lane_order(turned, dim, (int)s->attend_lanes, q);
        for (int part = 0; part < (int)s->parts; ++part)
            attend_part(a->r, a->layer, head / group, position, part, q, s, m->values + part * dim, m->softmax + 2 * part);
        merge_parts(m, (int)s->parts, dim, query);
    }
}

void step_attend(Reference *r, int layer, int first, int n)
{
    const PkgPlan *p = r->p.plan;
    const int heads = (int)p->heads, dim = (int)p->head_dim, cols = heads * dim;
    Attend a = { r, layer, first };
    for (int i = 0; i < n; ++i)
        keep(r, layer, first + i, r->qkv + (size_t)i * qkv_floats(p));
    team_run(r->members, n * heads, 2 * dim * (first + n), attend_heads, &a);
    for (int i = 0; i < n; ++i)
        sum_lane_order(r->qkv + (size_t)i * qkv_floats(p), cols, r->xs + (size_t)i * sum_words32(cols) * 256);
}
