// split.h: what the kernels of the split style share: eight warps that split the columns, a ninth that feeds a ring of tiles,
// packets between workers.
#pragma once
#include "shape.h"

enum {
    SPLIT_WARPS = 8,          // that consume; one more feeds them
    SPLIT_THREADS = 288,
    SPLIT_ROWS = 8,           // of a unit
    SPLIT_CHUNK = 2048,       // columns of a unit that one slot of the ring holds
    SPLIT_SLOT_BYTES = 32768, // = SPLIT_ROWS * SPLIT_CHUNK * 2
    SPLIT_STAGES = 6,         // slots of a ring, at most
    SPLIT_COPY_BYTES = 8192,  // a slot is filled by four copies
    SPLIT_STAGE_BYTES = 1024, // of a warp: its columns of a chunk as two halves
    SPLIT_TILE = 128,         // positions of a K/V tile
    SPLIT_ROUND = 16,         // units whose sums a block adds at once, at most
    SPLIT_HELD = 8,           // units whose sums a warp can hold in registers at once
};

// The condition all of them share.
static inline bool shape_split(const Choice *c, const char **why_not)
{
    if (c->sync != SYNC_PACKETS)
        *why_not = "it ends its wave in packets, barriers are planned";
    else if (c->feed != FEED_BULK)
        *why_not = "its weights come through a ring, another feed is planned";
    else if (c->warps != SPLIT_WARPS)
        *why_not = "it has eight warps";
    else
        return true;
    return false;
}

// Rows that are dealt in units: a gemv's or gated's stack, with two rows an output for the latter.
static inline int split_rows(const Op *op, const Graph *g)
{
    const Tensor *gate = op->kind == OP_GATED ? shape_of(g, op, "gate") : NULL;
    return gate ? 2 * gate->rows : shape_of(g, op, "y")->rows;
}

// Columns of the matrices it streams.
static inline int split_cols(const Op *op, const Graph *g)
{
    return shape_of(g, op, op->kind == OP_GATED ? "gate" : "w")->cols;
}

static inline int split_units(const Op *op, const Graph *g)
{
    return (split_rows(op, g) + SPLIT_ROWS - 1) / SPLIT_ROWS;
}

// Units of the worker that has most.
static inline int split_most(const Op *op, const Graph *g, const Choice *c)
{
    return (split_units(op, g) + c->workers - 1) / c->workers;
}

static inline int split_chunks(int cols)
{
    return (cols + SPLIT_CHUNK - 1) / SPLIT_CHUNK;
}

// Chunks that stand in the staging place at once: with more than two they come one after the other.
static inline int split_staged(const Op *op, const Graph *g)
{
    const int chunks = split_chunks(split_cols(op, g));
    return chunks > 2 ? 1 : chunks;
}
