// bind_kernel.c: what the template of one task function sees: the kernel's own parameters, where each operand lies, and the
// rows of the tasks.
#include "bind.h"

#include "../kernels/shape.h"
#include "../plan/rules.h"

#include <lua.h>

void bind_int(lua_State *L, const char *key, int64_t value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

void bind_bool(lua_State *L, const char *key, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, key);
}

void bind_string(lua_State *L, const char *key, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

void bind_float(lua_State *L, const char *key, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, key);
}

static const char *key_of(const Plan *p, const char *slot, const char *what)
{
    return str_format(p->arena, "%s_%s", slot, what);
}

static const char *lower(const Plan *p, const char *s)
{
    char *copy = (char *)str_copy(p->arena, s, strlen(s));
    for (char *c = copy; *c; ++c)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
    return copy;
}

void bind_matrix(lua_State *L, const Plan *p, const char *slot, const Matrix *m)
{
    const char *format = lower(p, m->format->name);
    bind_int(L, key_of(p, slot, "at"), m->base / 16); // in 16-byte words, as the templates index weights
    bind_int(L, key_of(p, slot, "layer"), m->layer_stride / 16);
    bind_int(L, key_of(p, slot, "words"), m->slice_cols / 8);
    bind_int(L, key_of(p, slot, "slice"), m->stride / 16);
    bind_int(L, key_of(p, slot, "deal"), m->deal);
    bind_int(L, key_of(p, slot, "rows"), m->stack_rows);
    bind_string(L, key_of(p, slot, "layout"), layout_name(m->layout));
    bind_string(L, key_of(p, slot, "format"), format);
    bind_string(L, key_of(p, slot, "dot8"), m->format->dot8);
    bind_string(L, key_of(p, slot, "lo"), key_of(p, format, "lo"));
    bind_string(L, key_of(p, slot, "hi"), key_of(p, format, "hi"));
}

static void bind_operand(lua_State *L, const Plan *p, const Schedule *s, const char *slot, int tensor)
{
    const Tensor *t = &p->graph->tensors.at[tensor];
    const Matrix *m = plan_matrix(p, tensor);
    const NormMap *n = plan_norm(p, tensor);
    const Buffer *b = plan_buffer(s, t->role);
    if (m) {
        bind_matrix(L, p, slot, m);
    } else if (n) {
        bind_int(L, key_of(p, slot, "at"), n->base / 16);
        bind_int(L, key_of(p, slot, "layer"), n->layer_stride / 16);
    } else if (b) {
        bind_int(L, key_of(p, slot, "at"), b->at);
    }
}

static void bind_operands(lua_State *L, const Plan *p, const Schedule *s, const Op *op)
{
    const OpInfo info = op_info(op->kind);
    for (int i = 0; i < OP_IN; ++i)
        if (op->in[i] >= 0)
            bind_operand(L, p, s, info.slot[i], op->in[i]);
    for (int i = 0; i < OP_OUT; ++i)
        if (op->out[i] >= 0)
            bind_operand(L, p, s, info.slot[OP_IN + i], op->out[i]);
    bind_int(L, "request_at", plan_buffer(s, "request")->at);
    bind_int(L, "kv_layer", p->kv.layer_stride);
    bind_int(L, "kv_head", p->kv.head_stride);
    bind_int(L, "kv_row", p->kv.row_bytes);
    bind_int(L, "kv_v", p->kv.v_offset);
}

// Of the op that makes logits and the one that chooses: the buffers of a choice.
static void bind_choice(lua_State *L, const Plan *p, const Schedule *s)
{
    const int64_t drawing = plan_buffer(s, "drawing")->at;
    for (int i = 0; plan_choice_buffers[i]; ++i)
        bind_int(L, key_of(p, plan_choice_buffers[i], "at"), plan_buffer(s, plan_choice_buffers[i])->at);
    bind_int(L, "drawing_words", DRAW_LIST_AT / 16);
    bind_int(L, "bins_at", drawing);
    bind_int(L, "counts_at", drawing + DRAW_COUNTS_AT);
    bind_int(L, "words_at", drawing + DRAW_WORDS_AT);
    bind_int(L, "list_at", drawing + DRAW_LIST_AT);
    bind_int(L, "board_at", drawing + DRAW_BOARD_AT);
    bind_int(L, "listed", DRAW_LISTED);
    bind_int(L, "all_words", DRAW_ALL_AT / 16);
    bind_int(L, "poll_limit", p->poll_limit);
}

// Pieces of shared memory "<wave>.<piece>" as <piece>_at, in 16-byte words.
static void bind_shared(lua_State *L, const Plan *p, const Schedule *s, const char *what)
{
    const char *prefix = str_format(p->arena, "%s.", what);
    for (int i = 0; i < s->buffers.n; ++i)
        if (s->buffers.at[i].space == SPACE_SHARED && str_starts(s->buffers.at[i].name, prefix))
            bind_int(L, key_of(p, s->buffers.at[i].name + strlen(prefix), "at"), s->buffers.at[i].at / 16);
}

static void bind_params(lua_State *L, const Plan *p, const Schedule *s, const Kernel *k)
{
    const Op *op = &p->graph->ops.at[k->op];
    const Choice c = plan_choice(p, s, op);
    Params params = { .arena = p->arena };
    k->kind->params(op, p->graph, &c, &k->tiling, &params);
    for (int i = 0; i < params.list.n; ++i) {
        const Param *q = &params.list.at[i];
        switch (q->kind) {
        case PARAM_INT:
            bind_int(L, q->name, q->i);
            break;
        case PARAM_BOOL:
            bind_bool(L, q->name, q->i);
            break;
        case PARAM_STRING:
            bind_string(L, q->name, q->s);
            break;
        case PARAM_FLOAT:
            bind_float(L, q->name, q->f);
        }
    }
}

static const Wave *wave_of(const Schedule *s, int op)
{
    for (int i = 0; i < s->waves.n; ++i)
        if (s->waves.at[i].op == op)
            return &s->waves.at[i];
    return NULL;
}

static int rows_of(const Plan *p, const Op *op)
{
    return op->kind == OP_FFN ? p->graph->tensors.at[graph_operand(op, "gate")].rows : p->graph->tensors.at[op->out[0]].rows;
}

bool bind_irregular(const Plan *p, const Schedule *s, const Wave *w)
{
    const Op *op = &p->graph->ops.at[w->op];
    if (s->feed == FEED_BULK)
        return false; // plan_check has proved that tasks are dealt by the formula
    const int units = rows_of(p, op) / plan_kernel(s, w->op)->tiling.granule;
    for (int i = 0; i < w->tasks; ++i) {
        const Task *t = &s->tasks.at[w->first_task + i];
        if (op->kind == OP_ATTEND) {
            if (t->worker != i % s->workers || t->row * s->parts + t->part != i)
                return true;
        } else {
            const int granule = plan_kernel(s, w->op)->tiling.granule;
            if (t->worker != i || t->row != (int)((int64_t)i * units / w->tasks) * granule)
                return true;
        }
    }
    return false;
}

// rows_table: {first, last, rank} of every worker; rank: how many tasks of the wave have lower rows; {0, 0}, a rank behind all: no task.
static void bind_rows_table(lua_State *L, const Schedule *s, const Wave *w)
{
    lua_newtable(L);
    for (int worker = 0, idle = w->tasks; worker < s->workers; ++worker) {
        int first = 0, last = 0, rank = 0;
        for (int i = w->first_task; i < w->first_task + w->tasks; ++i)
            if (s->tasks.at[i].worker == worker) {
                first = s->tasks.at[i].row;
                last = first + s->tasks.at[i].rows;
            }
        for (int i = w->first_task; last && i < w->first_task + w->tasks; ++i)
            rank += s->tasks.at[i].row < first;
        lua_newtable(L);
        bind_int(L, "first", first);
        bind_int(L, "last", last);
        bind_int(L, "rank", last ? rank : idle++);
        lua_rawseti(L, -2, worker + 1);
    }
    lua_setfield(L, -2, "rows_table");
}

// begin_text, tasks_text: the attention tasks of each worker, one list.
static void bind_task_lists(lua_State *L, const Plan *p, const Schedule *s, const Wave *w)
{
    Str begin = str_new(p->arena), tasks = str_new(p->arena);
    int n = 0;
    for (int worker = 0; worker <= s->workers; ++worker) {
        str_add(&begin, "%s%d", worker ? ", " : "", n);
        for (int i = w->first_task; i < w->first_task + w->tasks; ++i)
            if (s->tasks.at[i].worker == worker)
                str_add(&tasks, "%s%d", n++ ? ", " : "", s->tasks.at[i].row * s->parts + s->tasks.at[i].part);
    }
    bind_string(L, "begin_text", begin.text);
    bind_string(L, "tasks_text", tasks.text);
}

static void bind_tasks(lua_State *L, const Plan *p, const Schedule *s, const Kernel *k)
{
    const Wave *w = wave_of(s, k->op);
    int low = INT32_MAX, high = 0;
    for (int i = w->first_task; i < w->first_task + w->tasks; ++i) {
        low = s->tasks.at[i].rows < low ? s->tasks.at[i].rows : low;
        high = s->tasks.at[i].rows > high ? s->tasks.at[i].rows : high;
    }
    bind_int(L, "workers", s->workers);
    bind_int(L, "tasks", w->tasks);
    bind_int(L, "granule", k->tiling.granule);
    bind_int(L, "units", rows_of(p, &p->graph->ops.at[k->op]) / k->tiling.granule);
    bind_string(L, "rows_text", low == high ? str_format(p->arena, "%d", low) : str_format(p->arena, "%d to %d", low, high));
    const bool irregular = bind_irregular(p, s, w);
    bind_bool(L, "irregular", irregular);
    if (p->graph->ops.at[k->op].kind == OP_ATTEND)
        bind_task_lists(L, p, s, w);
    else
        bind_rows_table(L, s, w);
}

// head: how the rows of the logits are given to workers, for the op that chooses among them.
static void bind_head(lua_State *L, const Plan *p, const Schedule *s, const Op *op)
{
    for (int i = 0; i < s->kernels.n; ++i) {
        const Op *head = &p->graph->ops.at[s->kernels.at[i].op];
        if (head->kind != OP_GEMV || graph_operand(head, "y") != graph_operand(op, "logits"))
            continue;
        lua_newtable(L);
        bind_tasks(L, p, s, &s->kernels.at[i]);
        if (s->feed == FEED_BULK)
            bind_split(L, p, s, &s->kernels.at[i]);
        lua_setfield(L, -2, "head");
    }
}

// Sums that reduce adds, and candidates that select compares: the tasks that left them.
static void bind_producers(lua_State *L, const Schedule *s, const Op *op, const Plan *p)
{
    const char *slot = op->kind == OP_REDUCE ? "parts" : op->kind == OP_SELECT ? "best" : NULL;
    for (int w = 0; slot && w < s->waves.n; ++w) {
        const Wave *wave = &s->waves.at[w];
        for (int i = 0; i < OP_OUT; ++i)
            if (p->graph->ops.at[wave->op].out[i] == graph_operand(op, slot)) {
                bind_int(L, "parts", wave->tasks);
                bind_int(L, "slots", bind_irregular(p, s, wave) ? s->workers : wave->tasks);
            }
    }
}

void bind_kernel(lua_State *L, const Plan *p, const Schedule *s, const Kernel *k, const char *name)
{
    const Op *op = &p->graph->ops.at[k->op];
    lua_newtable(L);
    bind_params(L, p, s, k);
    bind_operands(L, p, s, op);
    bind_shared(L, p, s, op->what);
    bind_tasks(L, p, s, k);
    bind_producers(L, s, op, p);
    if (op->kind == OP_SELECT)
        bind_head(L, p, s, op);
    if (op->kind == OP_SELECT || (op->kind == OP_GEMV && graph_operand(op, "best") >= 0))
        bind_choice(L, p, s);
    if (s->feed == FEED_BULK)
        bind_split(L, p, s, k);
    bind_string(L, "name", name);
    bind_string(L, "template", k->kind->template[0]);
    bind_string(L, "what", graph_describe(p->graph, op));
    bind_bool(L, "layered", op->layer >= 0);
}
