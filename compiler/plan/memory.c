// memory.c: the matrix table, norms, the K/V map, the buffers of the state and the shared memory of each wave.
#include "plan.h"

#include "rules.h"
#include "../kernels/split.h"
#include "../../runtime/package.h"

enum { MATRIX_ALIGN = 128, BUFFER_ALIGN = 256, REDZONE_BYTES = 4096 };

int64_t plan_request_bytes(void)
{
    return sizeof(Request);
}

static int64_t align(int64_t bytes, int64_t to)
{
    return (bytes + to - 1) / to * to;
}

// First columns of down's slices: the rows of the feed-forward tasks of the first schedule.
static void slice_by_tasks(Plan *p, Matrix *m, int op)
{
    const Schedule *s = &p->schedules.at[0];
    int *first = arena_alloc(p->arena, (size_t)(s->tasks.n + 1) * sizeof *first), widest = 0;
    m->slices = 0;
    for (int i = 0; i < s->tasks.n; ++i)
        if (s->tasks.at[i].op == op) {
            first[m->slices++] = s->tasks.at[i].row;
            widest = s->tasks.at[i].rows > widest ? s->tasks.at[i].rows : widest;
        }
    first[m->slices] = m->cols;
    m->slice_first = first;
    m->slice_cols = (int)align(widest, m->unit_cols);
    m->stride = align(m->rows, m->unit_rows) * m->slice_cols * m->format->block_bytes;
    m->bytes = m->slices * m->stride;
}

static void slice_whole(Plan *p, Matrix *m)
{
    int *first = arena_alloc(p->arena, 2 * sizeof *first);
    first[1] = m->cols;
    m->slices = 1;
    m->slice_first = first;
    m->slice_cols = (int)align(m->cols, m->unit_cols);
    m->stride = m->bytes = (int64_t)m->rows * m->slice_cols * m->format->block_bytes;
}

static void add_matrix(Plan *p, int op_index, const char *slot, Layout layout)
{
    const Op *op = &p->graph->ops.at[op_index];
    const int tensor = graph_operand(op, slot);
    const Tensor *t = &p->graph->tensors.at[tensor];
    if (plan_matrix(p, tensor))
        return; // a tied embedding: one matrix, read twice
    Matrix m = { .tensor = tensor, .format = t->format, .layout = layout, .layout_version = 1,
                 .layers = t->layer < 0 ? 1 : p->model->layers, .rows = t->rows, .cols = t->cols,
                 .unit_rows = layout == LAYOUT_LANES ? 32 : layout == LAYOUT_FRAGMENTS ? 8 : 1,
                 .unit_cols = layout == LAYOUT_FRAGMENTS ? 32 : 8 };
    if (layout == LAYOUT_LANES)
        slice_by_tasks(p, &m, op_index);
    else
        slice_whole(p, &m);
    vec_push(p->arena, &p->matrices, m);
}

static void add_norm(Plan *p, int tensor)
{
    const Tensor *t = &p->graph->tensors.at[tensor];
    if (plan_norm(p, tensor))
        return;
    const NormMap n = { .tensor = tensor, .layers = t->layer < 0 ? 1 : p->model->layers, .cols = t->cols,
                        .layer_stride = align(t->cols, 8) * 4 };
    vec_push(p->arena, &p->norms, n);
}

static void collect_weights(Plan *p)
{
    const Schedule *s = &p->schedules.at[0];
    for (int i = 0; i < s->kernels.n; ++i) {
        const Kernel *k = &s->kernels.at[i];
        const Op *op = &p->graph->ops.at[k->op];
        const OpInfo info = op_info(op->kind);
        for (int slot = 0; slot < OP_IN; ++slot) {
            if (op->in[slot] < 0 || p->graph->tensors.at[op->in[slot]].kind != TENSOR_WEIGHT)
                continue;
            if (p->graph->tensors.at[op->in[slot]].rows == 1)
                add_norm(p, op->in[slot]);
            else
                add_matrix(p, k->op, info.slot[slot], k->kind->layout(op, p->graph, info.slot[slot]));
        }
    }
}

// One matrix of a stack: where its rows are among the stack's.
static void stack_matrix(Plan *p, const Op *op, const char *slot, int deal, int row, int rows, int thread, int weave)
{
    Matrix *m = (Matrix *)plan_matrix(p, graph_operand(op, slot));
    m->deal = deal;
    m->stack_row = row;
    m->stack_rows = rows;
    m->thread = thread;
    m->weave = weave;
    m->stride = m->bytes = align(rows, m->unit_rows) * m->slice_cols * m->format->block_bytes;
}

// Matrices in fragments: which of them form a stack. Gate and up are woven, row by row.
static void stack_fragments(Plan *p)
{
    static const char *const slots[] = { "w", "w2", "w3" };
    const Schedule *s = &p->schedules.at[0];
    for (int i = 0; i < s->kernels.n; ++i) {
        const Op *op = &p->graph->ops.at[s->kernels.at[i].op];
        if (op->kind == OP_GATED) {
            const int rows = p->graph->tensors.at[graph_operand(op, "gate")].rows;
            stack_matrix(p, op, "gate", s->workers, 0, 2 * rows, 0, 2);
            stack_matrix(p, op, "up", s->workers, 0, 2 * rows, 1, 2);
        }
        int row = 0;
        for (int k = 0; k < ARRAY_LEN(slots) && op->kind == OP_GEMV && s->feed == FEED_BULK; ++k)
            if (graph_operand(op, slots[k]) >= 0) {
                stack_matrix(p, op, slots[k], s->workers, row, p->graph->tensors.at[op->out[0]].rows, 0, 1);
                row += p->graph->tensors.at[graph_operand(op, slots[k])].rows;
            }
    }
}

bool plan_stack_follows(const Matrix *m)
{
    return m->layout == LAYOUT_FRAGMENTS && (m->stack_row > 0 || m->thread > 0);
}

// Matrices that a kernel reads as one lie one right behind the other.
static bool is_stacked(const Plan *p, const Matrix *m)
{
    const Schedule *s = &p->schedules.at[0];
    for (int i = 0; i < s->kernels.n; ++i) {
        const Op *op = &p->graph->ops.at[s->kernels.at[i].op];
        if (op->kind == OP_GEMV && (graph_operand(op, "w2") == m->tensor || graph_operand(op, "w3") == m->tensor))
            return true;
    }
    return false;
}

// Layer after layer, in a layer matrix after matrix in the order a token reads them; then what stands outside the layers;
// then the norms.
static void place_weights(Plan *p)
{
    int64_t layer_bytes = 0, at = 0;
    for (int i = 0; i < p->matrices.n; ++i) {
        Matrix *m = &p->matrices.at[i];
        if (p->graph->tensors.at[m->tensor].layer != 0)
            continue;
        if (plan_stack_follows(m)) { // right behind its first, which it shares its place with
            m->base = p->matrices.at[i - 1].base;
            continue;
        }
        m->base = is_stacked(p, m) ? layer_bytes : align(layer_bytes, MATRIX_ALIGN);
        layer_bytes = m->base + m->bytes;
    }
    layer_bytes = align(layer_bytes, MATRIX_ALIGN);
    at = layer_bytes * p->model->layers;
    for (int i = 0; i < p->matrices.n; ++i) {
        Matrix *m = &p->matrices.at[i];
        if (p->graph->tensors.at[m->tensor].layer == 0) {
            m->layer_stride = layer_bytes;
        } else {
            m->base = at;
            at = align(at + m->bytes, MATRIX_ALIGN);
        }
    }
    for (int i = 0; i < p->norms.n; ++i) {
        p->norms.at[i].base = at;
        at = align(at + p->norms.at[i].layers * p->norms.at[i].layer_stride, MATRIX_ALIGN);
    }
    p->weight_bytes = at;
}

void plan_count_weights(Plan *p)
{
    int64_t norms = 0, looked_up = 0, parameters = 0;
    for (int i = 0; i < p->norms.n; ++i)
        norms += (int64_t)p->norms.at[i].layers * p->norms.at[i].cols;
    for (int i = 0; i < p->graph->tensors.n; ++i)
        if (p->graph->tensors.at[i].kind == TENSOR_WEIGHT)
            parameters += 2 * (int64_t)p->graph->tensors.at[i].rows * p->graph->tensors.at[i].cols;
    p->parameter_bytes = parameters;
    const Op *embed = &p->graph->ops.at[0];
    if (!p->model->tied_embedding) {
        const Tensor *table = &p->graph->tensors.at[graph_operand(embed, "table")];
        looked_up = 2 * (int64_t)table->rows * table->cols;
    }
    p->norm_extra_bytes = 2 * norms;
    p->token_bytes = p->parameter_bytes - looked_up;
    p->padding_bytes = p->weight_bytes - p->parameter_bytes - p->norm_extra_bytes;
}

static void map_cache(Plan *p)
{
    KvMap *kv = &p->kv;
    const bool tiles = p->schedules.at[0].feed == FEED_BULK;
    kv->tile_tokens = tiles ? SPLIT_TILE : 1;
    kv->swizzle = tiles ? SWIZZLE_XOR : SWIZZLE_NONE;
    kv->head_stride = align(p->ctx, kv->tile_tokens) * kv->row_bytes;
    kv->v_offset = p->model->kv_heads * kv->head_stride;
    kv->layer_stride = 2 * kv->v_offset;
    kv->bytes = p->model->layers * kv->layer_stride;
}

// Bytes of a buffer that holds tensors of this role in one schedule.
int64_t plan_act_bytes(const Plan *p, const Schedule *s, const Tensor *t)
{
    const bool packets = s->sync == SYNC_PACKETS; // of four numbers; each part has one more for maximum and sum, and parts are merged
    if (str_equal(t->role, "attended"))
        return 4ll * t->rows * (!packets ? s->parts * t->cols : s->parts > 1 ? s->parts * (t->cols + 2) + t->cols - 2 : t->cols - 2);
    if (str_equal(t->role, "partial")) {
        const Kernel *ffn = NULL;
        int64_t parts = 0;
        for (int i = 0; i < s->kernels.n; ++i)
            ffn = p->graph->ops.at[s->kernels.at[i].op].kind == OP_FFN ? &s->kernels.at[i] : ffn;
        for (int i = 0; i < s->tasks.n; ++i)
            parts += ffn && s->tasks.at[i].op == ffn->op;
        return 4 * parts * align(t->rows, 32);
    }
    if (str_equal(t->role, "best"))
        return (packets ? 16ll : 8ll) * s->workers;
    return 4 * align((int64_t)t->rows * t->cols, 8);
}

// A norm reads whole words: behind a vector that ends inside one there must be zeros, which nobody else may touch.
static bool reads_padding(const Plan *p, const Op *op, const char *role)
{
    if (op_slot(op->kind, "gain") < 0 || graph_operand(op, "gain") < 0)
        return false;
    const Tensor *x = &p->graph->tensors.at[graph_operand(op, "x")];
    return str_equal(x->role, role) && x->rows % 8 != 0;
}

// The first and last rolled wave that touch the role's tensors.
void plan_lifetime(const Plan *p, const Schedule *s, const char *role, Buffer *b)
{
    b->first_wave = s->waves.n;
    b->last_wave = -1;
    for (int w = 0; w < s->waves.n; ++w) {
        const Op *op = &p->graph->ops.at[s->waves.at[w].op];
        for (int i = 0; i < OP_IN + OP_OUT; ++i) {
            const int t = i < OP_IN ? op->in[i] : op->out[i - OP_IN];
            if (t < 0 || !str_equal(p->graph->tensors.at[t].role, role))
                continue;
            b->first_wave = w < b->first_wave ? w : b->first_wave;
            b->last_wave = w;
        }
    }
    for (int w = 0; w < s->waves.n; ++w)
        if (reads_padding(p, &p->graph->ops.at[s->waves.at[w].op], role)) {
            b->first_wave = 0;
            b->last_wave = s->waves.n - 1;
        }
}

static void add_buffer(Plan *p, const char *name, int64_t bytes, int64_t *at, bool whole_token)
{
    bytes = align(bytes, 16);
    for (int i = 0; i < p->schedules.n; ++i) {
        Schedule *s = &p->schedules.at[i];
        Buffer b = { .name = name, .space = SPACE_GLOBAL, .at = *at, .bytes = bytes, .last_wave = s->waves.n - 1 };
        if (!whole_token)
            plan_lifetime(p, s, name, &b);
        vec_push(p->arena, &s->buffers, b);
    }
    *at = align(*at + bytes, BUFFER_ALIGN) + (p->options.redzone ? REDZONE_BYTES : 0);
}

// What choosing an id needs beside its candidates.
const char *const plan_choice_buffers[] = { "selectable", "bias", "counted", "values", "history", "recent", "drawing", NULL };

int64_t plan_choice_bytes(const Plan *p, const char *name)
{
    int workers = 0;
    for (int i = 0; i < p->schedules.n; ++i)
        workers = p->schedules.at[i].workers > workers ? p->schedules.at[i].workers : workers;
    if (str_equal(name, "selectable"))
        return align(p->model->vocab, 8) / 8; // a bit an id, units of eight rows whole
    if (str_equal(name, "history"))
        return 4ll * p->ctx;
    if (str_equal(name, "recent"))
        return 4ll * REQUEST_TOKENS * workers;
    if (str_equal(name, "drawing"))
        return DRAW_BOARD_AT + 16ll * (4 * workers + 1);
    return 4ll * p->model->vocab;
}

static int64_t keys_bytes(const Plan *p)
{
    int64_t keys = 0;
    for (int i = 0; i < p->matrices.n; ++i)
        keys += p->matrices.at[i].layers;
    for (int i = 0; i < p->norms.n; ++i)
        keys += p->norms.at[i].layers;
    return 8 * keys;
}

// Every role that a planned op writes, sized for the schedule that needs most; then what outlives a token.
static void place_buffers(Plan *p)
{
    int64_t at = 0;
    add_buffer(p, "request", sizeof(Request), &at, true);
    const Schedule *first = &p->schedules.at[0];
    for (int k = 0; k < first->kernels.n; ++k)
        for (int i = 0; i < OP_OUT; ++i) {
            const int tensor = p->graph->ops.at[first->kernels.at[k].op].out[i];
            const Tensor *t = tensor < 0 ? NULL : &p->graph->tensors.at[tensor];
            if (!t || t->kind == TENSOR_CACHE || str_equal(t->role, "next") || plan_buffer(first, t->role))
                continue;
            int64_t bytes = 0;
            for (int s = 0; s < p->schedules.n; ++s) {
                const int64_t want = plan_act_bytes(p, &p->schedules.at[s], t);
                bytes = want > bytes ? want : bytes;
            }
            add_buffer(p, t->role, bytes, &at, false);
        }
    add_buffer(p, "keys", keys_bytes(p), &at, true);
    for (int i = 0; plan_choice_buffers[i]; ++i)
        add_buffer(p, plan_choice_buffers[i], plan_choice_bytes(p, plan_choice_buffers[i]), &at, true);
    add_buffer(p, "angles", 4ll * p->ctx * p->model->head_dim, &at, true);
    add_buffer(p, "cache", p->kv.bytes, &at, true);
    if (p->options.trace)
        add_buffer(p, "trace", plan_trace_bytes(p), &at, true);
    p->state_bytes = at;
}

// Each wave has the whole arena to itself: pieces from 0 on.
static void place_shared(Plan *p, Schedule *s)
{
    for (int w = 0; w < s->waves.n; ++w) {
        const Kernel *k = plan_kernel(s, s->waves.at[w].op);
        const Op *op = &p->graph->ops.at[k->op];
        const Choice c = plan_choice(p, s, op);
        Smem smem = { 0 };
        k->kind->smem(op, p->graph, &c, &k->tiling, &smem);
        for (int i = 0; i < smem.n; ++i) {
            const Buffer b = { .name = str_format(p->arena, "%s.%s", s->waves.at[w].what, smem.piece[i].name),
                               .space = SPACE_SHARED, .at = smem.piece[i].at, .bytes = smem.piece[i].bytes,
                               .first_wave = w, .last_wave = w };
            vec_push(p->arena, &s->buffers, b);
        }
        s->waves.at[w].smem_bytes = smem.bytes;
    }
}

void plan_memory(Plan *p)
{
    collect_weights(p);
    stack_fragments(p);
    place_weights(p);
    plan_count_weights(p);
    map_cache(p);
    place_buffers(p);
    for (int i = 0; i < p->schedules.n; ++i)
        if (p->schedules.at[i].feed == FEED_BULK)
            plan_place_ring(p, &p->schedules.at[i]);
        else
            place_shared(p, &p->schedules.at[i]);
}
