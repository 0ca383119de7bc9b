// memory_ring.c: the shared memory of the split style. Warps of a block are in different waves at once, so nothing lies over
// anything else: each piece is kept through the whole token.
#include "rules.h"
#include "../kernels/split.h"

void ring_pieces(const Plan *p, const Schedule *s, Smem *smem)
{
    int rows = 0, units = 1, chunks = 1;
    for (int i = 0; i < s->kernels.n; ++i) {
        const Op *op = &p->graph->ops.at[s->kernels.at[i].op];
        const Choice c = plan_choice(p, s, op);
        if (op->kind == OP_EMBED)
            rows = split_most(op, p->graph, &c) * SPLIT_ROWS;
        if (op->kind == OP_GEMV || op->kind == OP_GATED)
            chunks = split_staged(op, p->graph) > chunks ? split_staged(op, p->graph) : chunks;
        if (op->kind == OP_GEMV || op->kind == OP_GATED)
            units = s->kernels.at[i].tiling.rows > units ? s->kernels.at[i].tiling.rows : units;
    }
    smem_add(smem, "ring", s->stages * SPLIT_SLOT_BYTES);
    smem_add(smem, "full", s->stages * 4 * 8);
    smem_add(smem, "empty", s->stages * 8);
    smem_add(smem, "flags", 12 * 4);
    smem_add(smem, "residual", rows * 4);
    smem_add(smem, "stage", SPLIT_WARPS * SPLIT_STAGE_BYTES * chunks);
    smem_add(smem, "parts", 2 * SPLIT_WARPS * units * SPLIT_ROWS * 4);
    smem_add(smem, "squares", 2 * SPLIT_WARPS * 4);
}

static int add_piece(Plan *p, Schedule *s, const char *name, int at, int bytes)
{
    const Buffer b = { .name = name, .space = SPACE_SHARED, .at = at, .bytes = bytes, .last_wave = s->waves.n - 1 };
    vec_push(p->arena, &s->buffers, b);
    return at + bytes;
}

// Bytes of all pieces; `place`: adds their buffers, too.
static int lay_out(Plan *p, Schedule *s, bool place)
{
    Smem shared = { 0 };
    ring_pieces(p, s, &shared);
    int at = shared.bytes;
    for (int i = 0; place && i < shared.n; ++i)
        add_piece(p, s, shared.piece[i].name, shared.piece[i].at, shared.piece[i].bytes);
    for (int w = 0; w < s->waves.n; ++w) {
        const Kernel *k = plan_kernel(s, s->waves.at[w].op);
        const Op *op = &p->graph->ops.at[k->op];
        const Choice c = plan_choice(p, s, op);
        Smem own = { 0 };
        k->kind->smem(op, p->graph, &c, &k->tiling, &own);
        for (int i = 0; place && i < own.n; ++i)
            add_piece(p, s, str_format(p->arena, "%s.%s", s->waves.at[w].what, own.piece[i].name), at + own.piece[i].at,
                      own.piece[i].bytes);
        at += own.bytes;
    }
    return at;
}

// Halves the most units that any kernel adds at once; false: none is left to halve.
static bool halve_rounds(const Plan *p, Schedule *s)
{
    int most = 1;
    bool halved = false;
    for (int i = 0; i < s->kernels.n; ++i)
        if (p->graph->ops.at[s->kernels.at[i].op].kind != OP_ATTEND && s->kernels.at[i].tiling.rows > most)
            most = s->kernels.at[i].tiling.rows;
    for (int i = 0; i < s->kernels.n && most > 1; ++i) {
        Kernel *k = &s->kernels.at[i];
        const Op *op = &p->graph->ops.at[k->op];
        const Choice c = plan_choice(p, s, op);
        Tiling half = k->tiling;
        const char *why_not;
        half.rows /= 2;
        if (k->tiling.rows != most)
            continue;
        if (!k->kind->valid(op, p->graph, &c, &half, &why_not))
            continue;
        k->tiling = half;
        halved = true;
    }
    return halved;
}

void plan_place_ring(Plan *p, Schedule *s)
{
    while (lay_out(p, s, false) > p->target->smem_block_bytes)
        if (!halve_rounds(p, s) && --s->stages < 3)
            error_at(p->model->at, ERR_PLAN_KERNEL, "a ring of three slots and what stands beside it do not fit in %d bytes of shared memory",
                     p->target->smem_block_bytes);
    const int bytes = lay_out(p, s, true), ring = s->stages * SPLIT_SLOT_BYTES;
    s->window = 0;
    for (int i = 0; i < s->waves.n; ++i) {
        Wave *w = &s->waves.at[i];
        w->smem_bytes = bytes;
        w->window = w->window < ring ? w->window : ring;
        w->wide = w->wide < ring ? w->wide : ring;
        s->window = w->wide > s->window ? w->wide : s->window;
    }
}
