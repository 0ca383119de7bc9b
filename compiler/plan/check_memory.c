// check_memory.c: rules 3, 4, 7 and 8: where everything lies, and that weights are read once.
#include "rules.h"
#include "../kernels/split.h"

static bool overlap(int64_t a, int64_t a_bytes, int64_t b, int64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

// Buffers that every schedule finds at the same place, because they outlive a token.
static void check_shared_state(const Plan *p, const Schedule *s, Diags *d)
{
    static const char *const names[] = { "request", "keys", "angles", "cache", "logits" };
    for (int i = 0; i < ARRAY_LEN(names); ++i) {
        const Buffer *b = plan_buffer(s, names[i]), *first = plan_buffer(&p->schedules.at[0], names[i]);
        if (!b || !first || b->at != first->at || b->space != SPACE_GLOBAL)
            rule_fail(p, s, d, 3, "buffer %s must be there, at the same place in every schedule", names[i]);
        else if (i < ARRAY_LEN(names) - 1 && (b->first_wave > 0 || b->last_wave < s->waves.n - 1))
            rule_fail(p, s, d, 3, "buffer %s must be kept through all waves", names[i]);
    }
}

// What choosing an id needs is there in every schedule, large enough, and kept.
static void check_choice(const Plan *p, const Schedule *s, Diags *d)
{
    for (int i = 0; plan_choice_buffers[i]; ++i) {
        const char *name = plan_choice_buffers[i];
        const Buffer *b = plan_buffer(s, name), *first = plan_buffer(&p->schedules.at[0], name);
        if (!b || !first || b->at != first->at || b->space != SPACE_GLOBAL || b->first_wave > 0 || b->last_wave < s->waves.n - 1)
            rule_fail(p, s, d, 3, "buffer %s must be there, at the same place in every schedule, and be kept through all waves", name);
        else if (b->bytes < plan_choice_bytes(p, name))
            rule_fail(p, s, d, 3, "buffer %s must hold %lld bytes", name, (long long)plan_choice_bytes(p, name));
    }
}

// Every role an op touches has a buffer large enough, kept from its first to its last use.
static void check_roles(const Plan *p, const Schedule *s, Diags *d)
{
    for (int i = 0; i < p->graph->tensors.n; ++i) {
        const Tensor *t = &p->graph->tensors.at[i];
        if (t->layer > 0 || (t->kind != TENSOR_ACT && !str_equal(t->role, "logits")))
            continue;
        const Buffer *b = plan_buffer(s, t->role);
        Buffer need = { 0 };
        plan_lifetime(p, s, t->role, &need);
        if (!b || b->space != SPACE_GLOBAL || b->bytes < plan_act_bytes(p, s, t))
            rule_fail(p, s, d, 3, "buffer %s must hold %lld bytes", t->role, (long long)plan_act_bytes(p, s, t));
        else if (b->first_wave > need.first_wave || b->last_wave < need.last_wave)
            rule_fail(p, s, d, 3, "buffer %s is kept for waves %d to %d: waves %d to %d use it", t->role, b->first_wave,
                      b->last_wave, need.first_wave, need.last_wave);
    }
}

void rule_buffers(const Plan *p, const Schedule *s, Diags *d)
{
    check_shared_state(p, s, d);
    check_choice(p, s, d);
    check_roles(p, s, d);
    for (int i = 0; i < s->buffers.n; ++i) {
        const Buffer *a = &s->buffers.at[i];
        const int wave = a->first_wave < s->waves.n ? a->first_wave : 0;
        const int64_t room = a->space == SPACE_GLOBAL ? p->state_bytes : s->waves.at[wave].smem_bytes;
        if (a->at + a->bytes > room || a->first_wave > a->last_wave || a->last_wave >= s->waves.n)
            rule_fail(p, s, d, 3, "buffer %s: bytes %lld to %lld of %lld, waves %d to %d", a->name, (long long)a->at,
                      (long long)(a->at + a->bytes), (long long)room, a->first_wave, a->last_wave);
        for (int k = 0; k < i; ++k) {
            const Buffer *b = &s->buffers.at[k];
            if (a->space == b->space && overlap(a->at, a->bytes, b->at, b->bytes) && a->first_wave <= b->last_wave &&
                b->first_wave <= a->last_wave)
                rule_fail(p, s, d, 3, "buffers %s and %s overlap and are both needed in wave %d", b->name, a->name,
                          a->first_wave > b->first_wave ? a->first_wave : b->first_wave);
        }
    }
}

// Strides of the K/V map keep heads, K and V, and layers apart, inside their buffer.
void rule_cache(const Plan *p, const Schedule *s, Diags *d)
{
    const KvMap *kv = &p->kv;
    const Buffer *cache = plan_buffer(s, "cache"), *angles = plan_buffer(s, "angles"), *request = plan_buffer(s, "request");
    const int64_t heads = p->model->kv_heads;
    const bool tiles = s->feed == FEED_BULK;
    if (kv->k != kv->v || kv->tile_tokens != (tiles ? SPLIT_TILE : 1) || (kv->swizzle == SWIZZLE_XOR) != tiles)
        rule_fail(p, s, d, 3, "K in %s, V in %s, %d positions a tile, %s: kernels want one type, and %s", kv_name(kv->k), kv_name(kv->v),
                  kv->tile_tokens, kv->swizzle == SWIZZLE_XOR ? "turned" : "not turned", tiles ? "turned tiles of 128" : "whole rows");
    if (tiles && kv->row_bytes != p->model->head_dim * kv_bytes(kv->k))
        rule_fail(p, s, d, 3, "K/V rows of %d bytes: tiles want them without padding", kv->row_bytes);
    if (kv->row_bytes < p->model->head_dim * kv_bytes(kv->k))
        rule_fail(p, s, d, 3, "K/V rows of %d bytes cannot hold %d numbers in %s", kv->row_bytes, p->model->head_dim, kv_name(kv->k));
    const int64_t positions = ((int64_t)p->ctx + kv->tile_tokens - 1) / (kv->tile_tokens > 0 ? kv->tile_tokens : 1) * kv->tile_tokens;
    if (kv->head_stride < positions * kv->row_bytes || kv->v_offset < heads * kv->head_stride ||
        kv->layer_stride < kv->v_offset + heads * kv->head_stride || kv->bytes < p->model->layers * kv->layer_stride)
        rule_fail(p, s, d, 3, "strides of the K/V map let heads, K and V or layers overlap");
    if ((int64_t)p->ctx * kv->row_bytes > INT32_MAX)
        rule_fail(p, s, d, 3, "K/V rows of one head take %lld bytes: kernels count them in 31 bits", (long long)p->ctx * kv->row_bytes);
    if (cache && cache->bytes < kv->bytes)
        rule_fail(p, s, d, 3, "buffer cache has %lld bytes: the K/V map needs %lld", (long long)cache->bytes, (long long)kv->bytes);
    if (angles && angles->bytes < 4ll * p->ctx * p->model->head_dim)
        rule_fail(p, s, d, 3, "buffer angles is too small for %d positions", p->ctx);
    if (request && request->bytes < plan_request_bytes())
        rule_fail(p, s, d, 3, "buffer request is smaller than a request");
    int64_t keys = 0;
    for (int i = 0; i < p->matrices.n; ++i)
        keys += p->matrices.at[i].layers;
    for (int i = 0; i < p->norms.n; ++i)
        keys += p->norms.at[i].layers;
    if (plan_buffer(s, "keys") && plan_buffer(s, "keys")->bytes < 8 * keys)
        rule_fail(p, s, d, 3, "buffer keys must hold %lld keys", (long long)keys);
}

void rule_shared(const Plan *p, const Schedule *s, Diags *d)
{
    for (int w = 0; w < s->waves.n; ++w)
        if (s->waves.at[w].smem_bytes > p->target->smem_block_bytes)
            rule_fail(p, s, d, 4, "wave %d (%s) needs %d bytes of shared memory: a block of %s has %d", w, s->waves.at[w].what,
                      s->waves.at[w].smem_bytes, p->target->name, p->target->smem_block_bytes);
}

// Bytes of one copy of a matrix by its geometry; -1: the geometry is impossible. Kernels of whole rows find a row by the
// columns of the matrix, so that rows have no more padding than completes a word.
static int64_t geometry(const Matrix *m)
{
    if (m->layout == LAYOUT_FRAGMENTS)
        return rule_fragments(m);
    const bool lanes = m->layout == LAYOUT_LANES;
    const int unit_rows = lanes ? 32 : 1, whole = (m->cols + 7) / 8 * 8;
    if (m->unit_rows != unit_rows || m->unit_cols != 8 || m->slice_cols % 8 || m->scale_bytes ||
        m->layout_version != 1 || m->slice_first[0] != 0 || m->slice_first[m->slices] != m->cols || (!lanes && m->slices != 1) ||
        m->slice_cols > whole || (!lanes && m->slice_cols < whole))
        return -1;
    for (int i = 0; i < m->slices; ++i)
        if (m->slice_first[i + 1] <= m->slice_first[i] || m->slice_first[i + 1] - m->slice_first[i] > m->slice_cols)
            return -1;
    const int64_t rows = ((int64_t)m->rows + unit_rows - 1) / unit_rows * unit_rows;
    const int64_t stride = rows * m->slice_cols * m->format->block_bytes;
    return m->stride == stride && m->bytes == stride * m->slices ? m->bytes : -1;
}

// All copies of two ranges that repeat by layer stay apart.
static bool apart(int64_t a, int64_t a_bytes, int64_t a_stride, int a_layers, int64_t b, int64_t b_bytes, int64_t b_stride,
                  int b_layers)
{
    for (int i = 0; i < a_layers; ++i)
        for (int k = 0; k < b_layers; ++k)
            if (overlap(a + i * a_stride, a_bytes, b + k * b_stride, b_bytes))
                return false;
    return true;
}

typedef struct Range {
    const char *name;
    int64_t base, bytes, stride;
    int layers;
} Range;

// Layers share the entry of layer 0; an entry of its own for another layer, or of the other kind, would be packed over what
// the rest of this rule looks at.
static void check_entries(const Plan *p, Diags *d)
{
    for (int i = 0; i < p->matrices.n; ++i) {
        const Tensor *t = &p->graph->tensors.at[p->matrices.at[i].tensor];
        if (t->rows == 1 || t->layer > 0)
            rule_fail(p, NULL, d, 7, "%s is no entry of the matrix table: matrices outside the layers and of layer 0 are", t->name);
    }
    for (int i = 0; i < p->norms.n; ++i) {
        const Tensor *t = &p->graph->tensors.at[p->norms.at[i].tensor];
        if (t->rows != 1 || t->layer > 0)
            rule_fail(p, NULL, d, 7, "%s is no entry of the norms: norms outside the layers and of layer 0 are", t->name);
    }
}

// Every weight of the planned ops has its place, shaped as the model says, apart from all others.
void rule_weights(const Plan *p, Diags *d)
{
    VEC(Range) ranges = { 0 };
    check_entries(p, d);
    for (int i = 0; i < p->graph->tensors.n; ++i) {
        const Tensor *t = &p->graph->tensors.at[i];
        if (t->kind != TENSOR_WEIGHT || t->layer > 0)
            continue;
        const Matrix *m = t->rows > 1 ? plan_matrix(p, i) : NULL;
        const NormMap *n = t->rows == 1 ? plan_norm(p, i) : NULL;
        const int layers = t->layer < 0 ? 1 : p->model->layers;
        if (m && (m->rows != t->rows || m->cols != t->cols || m->layers != layers || geometry(m) < 0))
            rule_fail(p, NULL, d, 7, "matrix %s does not lie as %d x %d in %d layer(s)", t->name, t->rows, t->cols, layers);
        else if (n && (n->cols != t->cols || n->layers != layers))
            rule_fail(p, NULL, d, 7, "norm %s does not lie as %d in %d layer(s)", t->name, t->cols, layers);
        if (!m && !n) {
            rule_fail(p, NULL, d, 7, "weight %s has no place", t->name);
            continue;
        }
        const Range r = { t->name, m ? m->base : n ? n->base : 0, m ? m->bytes : (t->cols + 7) / 8 * 32ll, // whole words are read
                          m ? m->layer_stride : n ? n->layer_stride : 0, layers };
        if (r.base + r.bytes + (layers - 1) * r.stride > p->weight_bytes)
            rule_fail(p, NULL, d, 7, "weight %s ends behind the %lld bytes of all weights", t->name, (long long)p->weight_bytes);
        if (r.layers > 1 && r.stride < r.bytes)
            rule_fail(p, NULL, d, 7, "the layers of weight %s overlap", t->name);
        if (m && plan_stack_follows(m))
            continue; // lies in its stack (rule_stack)
        for (int k = 0; k < ranges.n; ++k)
            if (!apart(r.base, r.bytes, r.stride, layers, ranges.at[k].base, ranges.at[k].bytes, ranges.at[k].stride,
                       ranges.at[k].layers))
                rule_fail(p, NULL, d, 7, "weights %s and %s overlap", ranges.at[k].name, t->name);
        vec_push(d->arena, &ranges, r);
    }
}

// Stacked matrices lie one behind the other; feed-forward tasks are down's slices.
void rule_streams(const Plan *p, const Schedule *s, Diags *d)
{
    static const char *const stack[] = { "w", "w2", "w3" };
    for (int i = 0; i < s->waves.n; ++i) {
        const Wave *w = &s->waves.at[i];
        const Op *op = &p->graph->ops.at[w->op];
        if (s->feed == FEED_BULK) {
            rule_stack(p, s, w, d);
            continue;
        }
        for (int k = 1; k < ARRAY_LEN(stack) && op->kind == OP_GEMV && graph_operand(op, stack[k]) >= 0; ++k) {
            const Matrix *a = plan_matrix(p, graph_operand(op, stack[k - 1])), *b = plan_matrix(p, graph_operand(op, stack[k]));
            if (a && b && (b->base != a->base + a->bytes || b->layer_stride != a->layer_stride))
                rule_fail(p, s, d, 7, "%s reads its matrices as one: %s must follow %s", op->what,
                          p->graph->tensors.at[b->tensor].name, p->graph->tensors.at[a->tensor].name);
        }
        const Matrix *down = op->kind == OP_FFN ? plan_matrix(p, graph_operand(op, "down")) : NULL;
        if (down && down->slices != w->tasks)
            rule_fail(p, s, d, 7, "down has %d slices for %d tasks of %s", down->slices, w->tasks, op->what);
        for (int k = 0; down && k < w->tasks && k < down->slices; ++k) {
            const Task *t = &s->tasks.at[w->first_task + k];
            if (t->part < 0 || t->part >= down->slices || t->row != down->slice_first[t->part] ||
                t->row + t->rows != down->slice_first[t->part + 1])
                rule_fail(p, s, d, 7, "%s is not slice %d of down", rule_task(p, s, w->first_task + k), t->part);
        }
    }
}

static void check_aligned(const Plan *p, const Schedule *s, Diags *d, const char *name, const char *what, int64_t bytes)
{
    if (bytes % 16)
        rule_fail(p, s, d, 8, "%s: %s %lld is not a multiple of 16", name, what, (long long)bytes);
}

void rule_alignment(const Plan *p, const Schedule *s, Diags *d)
{
    for (int i = 0; i < p->matrices.n; ++i) {
        const Matrix *m = &p->matrices.at[i];
        const char *name = p->graph->tensors.at[m->tensor].name;
        check_aligned(p, s, d, name, "base", m->base);
        check_aligned(p, s, d, name, "stride", m->stride);
        check_aligned(p, s, d, name, "layer_stride", m->layer_stride);
    }
    for (int i = 0; i < p->norms.n; ++i) {
        const NormMap *n = &p->norms.at[i];
        check_aligned(p, s, d, p->graph->tensors.at[n->tensor].name, "base", n->base);
        check_aligned(p, s, d, p->graph->tensors.at[n->tensor].name, "layer_stride", n->layer_stride);
    }
    for (int i = 0; i < s->buffers.n; ++i)
        check_aligned(p, s, d, str_format(d->arena, "buffer %s", s->buffers.at[i].name), "at", s->buffers.at[i].at);
    check_aligned(p, s, d, "K/V map", "row_bytes", p->kv.row_bytes);
    check_aligned(p, s, d, "K/V map", "head_stride", p->kv.head_stride);
    check_aligned(p, s, d, "K/V map", "v_offset", p->kv.v_offset);
    check_aligned(p, s, d, "K/V map", "layer_stride", p->kv.layer_stride);
}
