// shape.h: small questions about an op's operands that several kernels ask.
#pragma once
#include "kernel.h"

// The tensor in a slot, or NULL.
static inline const Tensor *shape_of(const Graph *g, const Op *op, const char *slot)
{
    const int t = graph_operand(op, slot);
    return t < 0 ? NULL : &g->tensors.at[t];
}

// 16-byte words of eight numbers that hold `cols` of them.
static inline int shape_words(int cols)
{
    return (cols + 7) / 8;
}

// Words of one row that lane 0 has to read.
static inline int shape_lane_words(int cols)
{
    return (shape_words(cols) + 31) / 32;
}

// The condition all kernels of the first schedule share.
static inline bool shape_plain_barrier(const Choice *c, const char **why_not)
{
    if (c->sync != SYNC_BARRIER)
        *why_not = "it ends its wave at a barrier, packets are planned";
    else if (c->feed != FEED_PLAIN)
        *why_not = "it reads weights by plain loads, another feed is planned";
    else
        return true;
    return false;
}

static inline bool shape_format(const Tensor *w, const char **why_not)
{
    if (!w->format->dot8)
        *why_not = "it multiplies BF16 and F16";
    return w->format->dot8 != NULL;
}

// Where workers that draw an id tell each other what they have, from the start of buffer "drawing": weights and counts of the bins of
// each look, which are wiped for each token with two words behind them (listed entries; the id drawn, of barriers), then a list of
// entries, then four places for each worker and one for the entry drawn.
enum {
    DRAW_PLACES = 20, // looks of a token: nine for top-k, nine for top-p
    DRAW_BINS = 256,
    DRAW_LISTED = 256, // entries that one block ranks by itself
    DRAW_COUNTS_AT = DRAW_PLACES * DRAW_BINS * 8,
    DRAW_WORDS_AT = DRAW_COUNTS_AT + DRAW_PLACES * DRAW_BINS * 4,
    DRAW_LIST_AT = DRAW_WORDS_AT + 16,
    DRAW_BOARD_AT = DRAW_LIST_AT + DRAW_LISTED * 8,
    DRAW_SCRATCH_BYTES = 8192, // shared memory of a worker: 128 bytes, then bins, or the list with its weights, or sums of warps and
    DRAW_ALL_AT = 1152,        // what all workers sent, 8 bytes each
    DRAW_MOST_WORKERS = (DRAW_SCRATCH_BYTES - DRAW_ALL_AT) / 8,
};
_Static_assert(128 + DRAW_LISTED * 16 <= DRAW_SCRATCH_BYTES && 128 + DRAW_BINS * 12 <= DRAW_SCRATCH_BYTES, "scratch of a draw");
