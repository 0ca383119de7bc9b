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
