// decode.c: render_decode(): plan -> CUDA C and its line map.
#include "bind.h"
#include "engine.h"

#include "../../runtime/package.h"
#include "../kernels/split.h"

#include <lua.h>

// What table a has, b has too.
static bool same_table(lua_State *L, int a, int b)
{
    a = lua_absindex(L, a);
    b = lua_absindex(L, b);
    bool same = true;
    lua_pushnil(L);
    while (lua_next(L, a)) {
        lua_pushvalue(L, -2);
        lua_rawget(L, b);
        if (lua_istable(L, -2) && lua_istable(L, -1))
            same = same && same_table(L, -2, -1);
        else
            same = same && lua_rawequal(L, -2, -1);
        lua_pop(L, 2);
    }
    return same;
}

// Two schedules share a function, or a wave, when everything its template sees is the same.
static bool equal_tables(lua_State *L, int a, int b)
{
    return same_table(L, a, b) && same_table(L, b, a);
}

// The index of the function of that name in the list on top of the stack; 0: none.
static int find_function(lua_State *L, const char *name)
{
    const int n = (int)lua_rawlen(L, -1);
    for (int i = 1; i <= n; ++i) {
        lua_rawgeti(L, -1, i);
        lua_getfield(L, -1, "name");
        const bool found = str_equal(lua_tostring(L, -1), name);
        lua_pop(L, 2);
        if (found)
            return i;
    }
    return 0;
}

// Adds the function of a kernel to the list on top of the stack unless it is there; returns its name.
static const char *add_function(lua_State *L, const Plan *p, const Schedule *s, const Kernel *k)
{
    const char *name = k->name;
    int at = find_function(L, name);
    if (at) {
        lua_rawgeti(L, -1, at);
        bind_kernel(L, p, s, k, name);
        const bool same = equal_tables(L, -1, -2);
        lua_pop(L, 2);
        if (same)
            return name;
        name = str_format(p->arena, "%s_%d", k->name, s->ctx_max);
    }
    bind_kernel(L, p, s, k, name);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    return name;
}

static void push_wave(lua_State *L, const Plan *p, const Schedule *s, const Wave *w, const char *function)
{
    const Op *op = &p->graph->ops.at[w->op];
    const Kernel *k = plan_kernel(s, w->op);
    if (s->feed == FEED_BULK)
        bind_kernel(L, p, s, k, function); // the feeding thread walks by the same numbers
    else
        lua_newtable(L);
    bind_string(L, "name", function);
    bind_string(L, "kind", op->kind == OP_GATED ? kernel_split_gemv.name : k->kind->name);
    bind_bool(L, "best", op->kind == OP_GEMV && graph_operand(op, "best") >= 0);
    bind_int(L, "window", w->window / SPLIT_COPY_BYTES);
    bind_int(L, "wide", w->wide / SPLIT_COPY_BYTES);
    bind_string(L, "what", graph_describe(p->graph, op));
    bind_int(L, "tasks", w->tasks);
    bind_bool(L, "irregular", bind_irregular(p, s, w));
    bind_bool(L, "layered", op->layer >= 0);
    bind_bool(L, "if_head", op->kind == OP_GEMV && graph_operand(op, "best") >= 0);
    bind_int(L, "workers", s->workers);
    bind_int(L, "poll_limit", p->poll_limit);
}

// A wave as the first schedule has it, with `variants`: one for each range of contexts, up to position `below`, in which it differs.
static void push_variants(lua_State *L, const Plan *p, int wave, const char *const *const *functions)
{
    push_wave(L, p, &p->schedules.at[0], &p->schedules.at[0].waves.at[wave], functions[0][wave]);
    lua_newtable(L);
    for (int i = 0; i < p->schedules.n; ++i) {
        const Schedule *s = &p->schedules.at[i];
        const lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
        lua_rawgeti(L, -1, n); // nil before the first
        push_wave(L, p, s, &s->waves.at[wave], functions[i][wave]);
        if (n > 0) { // the contexts that they are for are no difference
            lua_getfield(L, -2, "below");
            lua_setfield(L, -2, "below");
        }
        const bool same = n > 0 && equal_tables(L, -2, -1);
        bind_int(L, "below", s->ctx_max);
        lua_rawseti(L, -3, same ? n : n + 1);
        lua_pop(L, 1);
    }
    lua_setfield(L, -2, "variants");
}

// before, layer_waves and after: the waves around and in the layer loop.
static void push_waves(lua_State *L, const Plan *p, const char *const *const *functions)
{
    const Schedule *s = &p->schedules.at[0];
    const Repeat *r = &s->repeats.at[0];
    const int from[] = { 0, r->first_wave, r->first_wave + r->waves, s->waves.n };
    static const char *const lists[] = { "before", "layer_waves", "after" };
    for (int list = 0; list < 3; ++list) {
        lua_newtable(L);
        for (int w = from[list]; w < from[list + 1]; ++w) {
            push_variants(L, p, w, functions);
            lua_rawseti(L, -2, w - from[list] + 1);
        }
        lua_setfield(L, -2, lists[list]);
    }
}

// contexts: what the schedules are for, a line each.
static void push_contexts(lua_State *L, const Plan *p)
{
    lua_newtable(L);
    for (int i = 0; i < p->schedules.n; ++i) {
        const Schedule *s = &p->schedules.at[i];
        lua_pushstring(L, str_format(p->arena, "%s: contexts %d to %d, %d part%s a K/V head, %d waves a token", s->name, s->ctx_min,
                                     s->ctx_max, s->parts, s->parts > 1 ? "s" : "", plan_token_waves(s)));
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "contexts");
}

// `kernels` and `entry` of the table on top of the stack. One entry serves every schedule: they differ in few waves.
static void push_entry(lua_State *L, const Plan *p)
{
    const Schedule *first = &p->schedules.at[0];
    const char *const **functions = arena_alloc(p->arena, (size_t)p->schedules.n * sizeof *functions);
    lua_newtable(L);
    for (int i = 0; i < p->schedules.n; ++i) {
        const Schedule *s = &p->schedules.at[i];
        const char **names = arena_alloc(p->arena, (size_t)(s->waves.n + 1) * sizeof *names);
        for (int w = 0; w < s->waves.n; ++w)
            names[w] = add_function(L, p, s, plan_kernel(s, s->waves.at[w].op));
        functions[i] = names;
    }
    lua_setfield(L, -2, "kernels");
    lua_newtable(L);
    push_waves(L, p, functions);
    push_contexts(L, p);
    bind_string(L, "entry", PKG_ENTRY);
    bind_int(L, "threads", plan_threads(first));
    bind_string(L, "template", first->feed == FEED_BULK ? "split_schedule.cu" : "schedule.cu");
    if (first->feed == FEED_BULK)
        bind_split(L, p, first, plan_kernel(first, first->waves.at[first->waves.n - 1].op));
    bind_int(L, "workers", first->workers);
    bind_int(L, "layers", first->repeats.at[0].layers);
    bind_int(L, "token_waves", plan_token_waves(first));
    bind_int(L, "request_at", plan_buffer(first, "request")->at);
    lua_setfield(L, -2, "entry");
}

static void push_facts(lua_State *L, const Plan *p)
{
    const Schedule *s = &p->schedules.at[0];
    const char *facts[] = {
        str_format(p->arena, "%d workers of %d threads; weights in %s; K/V in %s for %d positions; %s, %s loads.", s->workers,
                   plan_threads(s), p->matrices.at[0].format->name, kv_name(p->kv.k), p->ctx, sync_name(s->sync), feed_name(s->feed)),
        "One cooperative launch decodes up to 64 tokens; every number below is decided by the plan.",
        "weights: streams in the order of the plan's matrix table; offsets into them count 16-byte words.",
        "state: request, activations, rope table and K/V cache; offsets into it count bytes.",
    };
    lua_newtable(L);
    for (int i = 0; i < ARRAY_LEN(facts); ++i) {
        lua_pushstring(L, facts[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "facts");
}

static void bind_trace(lua_State *L, const Plan *p)
{
    const TraceMap t = plan_trace(p);
    bind_bool(L, "trace", t.bytes > 0);
    bind_int(L, "trace_at", t.at);
    bind_int(L, "trace_stamps_at", t.stamps_at);
    bind_int(L, "trace_workers", t.workers);
    bind_int(L, "trace_waves", t.waves);
}

void bind_decode(lua_State *L, const Plan *p)
{
    lua_newtable(L);
    bind_string(L, "model", p->model->name);
    bind_string(L, "target", p->target->name);
    push_facts(L, p);
    push_entry(L, p);
    bind_bool(L, "packets", p->schedules.at[0].sync == SYNC_PACKETS);
    bind_trace(L, p);
    if (p->schedules.at[0].feed == FEED_BULK)
        bind_split_places(L, p, &p->schedules.at[0]);
    bind_setup(L, p);
    lua_setfield(L, -2, "setup");
}

Source render_decode(Arena *a, const Plan *p, RenderOptions o)
{
    lua_State *L = engine_open(a, o.templates);
    bind_decode(L, p);
    return engine_render(a, L, "decode.cu", o.line);
}

void render_write_map(const Source *s, Str *out)
{
    for (int i = 0; i < s->lines; ++i)
        str_add(out, "%d %s:%d\n", i + 1, s->from_file[i], s->from_line[i]);
}
