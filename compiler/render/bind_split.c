// bind_split.c: what templates of the split style see beyond a kernel's own parameters: its chunks of columns, how units are dealt,
// where the pieces of shared memory lie that all waves use.
#include "bind.h"

#include "../kernels/split.h"

#include <lua.h>

// chunks: blocks of 32 columns in each chunk.
static void bind_chunks(lua_State *L, int cols)
{
    lua_newtable(L);
    for (int i = 0; i < split_chunks(cols); ++i) {
        const int left = cols - i * SPLIT_CHUNK;
        lua_pushinteger(L, (left < SPLIT_CHUNK ? left : SPLIT_CHUNK) / 32);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "chunks");
}

static void bind_shared_places(lua_State *L, const Plan *p, const Schedule *s)
{
    for (int i = 0; i < s->buffers.n; ++i) {
        const Buffer *b = &s->buffers.at[i];
        if (b->space == SPACE_SHARED && !strchr(b->name, '.'))
            bind_int(L, str_format(p->arena, "%s_at", b->name), b->at / 16);
        if (b->space == SPACE_SHARED && str_equal(b->name, "parts"))
            bind_int(L, "parts_half", b->bytes / 8);
        if (b->space == SPACE_SHARED && str_equal(b->name, "stage"))
            bind_int(L, "stage_words", b->bytes / SPLIT_WARPS / 16);
    }
    bind_int(L, "stages", s->stages);
}

void bind_split(lua_State *L, const Plan *p, const Schedule *s, const Kernel *k)
{
    const Op *op = &p->graph->ops.at[k->op];
    const char *slot = op->kind == OP_GATED ? "gate" : op->kind == OP_GEMV ? "w" : NULL;
    bind_shared_places(L, p, s);
    if (op->kind == OP_ATTEND || op->kind == OP_SELECT)
        return;
    const int units = split_units(op, p->graph), least = units / s->workers, extra = units % s->workers;
    bind_int(L, "least", least);
    bind_int(L, "extra", extra);
    bind_string(L, "least_text", extra ? str_format(p->arena, "%d or %d", least, least + 1) : str_format(p->arena, "%d", least));
    if (!slot)
        return;
    const Matrix *m = plan_matrix(p, graph_operand(op, slot));
    bind_chunks(L, m->cols);
    bind_matrix(L, p, "w", m);
}

void bind_split_places(lua_State *L, const Plan *p, const Schedule *s)
{
    lua_newtable(L);
    bind_shared_places(L, p, s);
    bind_int(L, "request_at", plan_buffer(s, "request")->at);
    bind_int(L, "poll_limit", p->poll_limit);
    bind_string(L, "format", str_equal(p->matrices.at[0].format->name, "F16") ? "f16" : "bf16");
    lua_setfield(L, -2, "split");
}
