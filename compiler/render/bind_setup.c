// bind_setup.c: what templates/setup.cu sees: every matrix and norm to fill by hash, the ranges a token reads, the K/V map.
#include "bind.h"

#include "../../runtime/hash.h"

#include <lua.h>

enum { READ_COPIES = 16 }; // of 8 KB under way: H200, 128 KB a multiprocessor read at the best rate

// A template's name for a weight: its role.
static void bind_fill(lua_State *L, const Plan *p, const Matrix *m, int first)
{
    const Tensor *t = &p->graph->tensors.at[m->tensor];
    Str slices = str_new(p->arena);
    for (int i = 0; i <= m->slices; ++i)
        str_add(&slices, "%s%d", i ? ", " : "", m->slice_first[i]);
    const float scale = hash_scale(m->cols);
    bind_string(L, "name", t->role);
    bind_string(L, "template", m->layout == LAYOUT_LANES ? "fill_lanes.cu" : m->layout == LAYOUT_FRAGMENTS ? "fill_fragments.cu" : "fill_rows.cu");
    bind_string(L, "format", m->format->name);
    bind_string(L, "round", str_equal(m->format->name, "F16") ? "f16_round" : "bf16_round");
    bind_int(L, "first", first);
    bind_int(L, "layers", m->layers);
    bind_int(L, "rows", m->rows);
    bind_int(L, "cols", m->cols);
    bind_int(L, "row_values", m->slice_cols);
    bind_int(L, "slices", m->slices);
    bind_string(L, "slice_text", slices.text);
    bind_int(L, "slice_words", m->slice_cols / 8);
    bind_int(L, "base", m->base);
    bind_int(L, "stride", m->stride);
    bind_int(L, "layer_stride", m->layer_stride);
    bind_int(L, "deal", m->deal);
    bind_int(L, "stack_row", m->stack_row);
    bind_int(L, "stack_rows", m->stack_rows);
    bind_int(L, "thread", m->thread);
    bind_int(L, "weave", m->weave);
    bind_float(L, "a", scale);
    bind_float(L, "b", hash_mean(scale));
}

static void bind_range(lua_State *L, int index, int64_t from, int64_t to)
{
    lua_newtable(L);
    bind_int(L, "from", from / 16);
    bind_int(L, "to", to / 16);
    lua_rawseti(L, -2, index);
}

// What a token streams, as ranges of 16-byte words: all matrices but an embedding that is only looked up, which lies
// behind the layers and before the head.
static void bind_ranges(lua_State *L, const Plan *p)
{
    const Matrix *table = plan_matrix(p, graph_operand(&p->graph->ops.at[0], "table"));
    const Matrix *skipped = p->model->tied_embedding ? NULL : table;
    int64_t from = INT64_MAX, to = 0;
    int n = 0;
    for (int i = 0; i < p->matrices.n; ++i) {
        const Matrix *m = &p->matrices.at[i];
        const int64_t end = m->base + m->bytes + (m->layers - 1) * m->layer_stride;
        if (m == skipped)
            continue;
        from = m->base < from ? m->base : from;
        to = end > to ? end : to;
    }
    lua_newtable(L);
    if (skipped && skipped->base < to && skipped->base + skipped->bytes > from) {
        if (skipped->base > from)
            bind_range(L, ++n, from, skipped->base);
        from = skipped->base + skipped->bytes;
    }
    if (to > from)
        bind_range(L, ++n, from, to);
    lua_setfield(L, -2, "read_words");
}

static void bind_cache(lua_State *L, const Plan *p)
{
    lua_newtable(L);
    bind_int(L, "layers", p->model->layers);
    bind_int(L, "kv_heads", p->model->kv_heads);
    bind_int(L, "head_dim", p->model->head_dim);
    bind_int(L, "context", p->ctx);
    bind_int(L, "at", plan_buffer(&p->schedules.at[0], "cache")->at);
    bind_int(L, "layer_stride", p->kv.layer_stride);
    bind_int(L, "head_stride", p->kv.head_stride);
    bind_int(L, "row_bytes", p->kv.row_bytes);
    bind_int(L, "v_offset", p->kv.v_offset);
    bind_string(L, "kv", kv_name(p->kv.k));
    bind_bool(L, "turned", p->kv.swizzle == SWIZZLE_XOR);
    lua_setfield(L, -2, "cache");
}

void bind_setup(lua_State *L, const Plan *p)
{
    const Schedule *s = &p->schedules.at[0];
    int first = 0;
    lua_newtable(L);
    lua_newtable(L);
    for (int i = 0; i < p->matrices.n; ++i) {
        lua_newtable(L);
        bind_fill(L, p, &p->matrices.at[i], first);
        lua_rawseti(L, -2, i + 1);
        first += p->matrices.at[i].layers;
    }
    lua_setfield(L, -2, "matrices");
    lua_newtable(L);
    for (int i = 0; i < p->norms.n; ++i) {
        const NormMap *n = &p->norms.at[i];
        lua_newtable(L);
        bind_string(L, "name", p->graph->tensors.at[n->tensor].role);
        bind_int(L, "first", first);
        bind_int(L, "layers", n->layers);
        bind_int(L, "cols", n->cols);
        bind_int(L, "base", n->base);
        bind_int(L, "layer_stride", n->layer_stride);
        lua_rawseti(L, -2, i + 1);
        first += n->layers;
    }
    lua_setfield(L, -2, "norms");
    bind_ranges(L, p);
    bind_cache(L, p);
    bind_bool(L, "bulk", s->feed == FEED_BULK);
    bind_int(L, "copies", s->feed == FEED_BULK ? READ_COPIES : 0);
    bind_int(L, "keys_at", plan_buffer(s, "keys")->at);
    bind_int(L, "threads", plan_threads(s));
    bind_int(L, "workers", s->workers);
}
