// steps.h: the steps of the reference, one an op kind, each for `n` positions at once. Vectors of position i lie at i * their
// length.
#pragma once
#include "reference.h"

typedef struct RefCache {
    void *at; // [layers][2][kv_heads][context][head_dim] in the plan's K/V format
    int context;
} RefCache;

// What a member of the team has for itself.
typedef struct RefMember {
    float *row, *lanes;      // one row of a matrix, as it is and in lane order
    float *parts;            // [ffn parts] sums of one row
    float *values, *softmax; // [attention parts][head_dim], [attention parts][2] of one head of one position
} RefMember;

struct Reference {
    RefPlan p;
    RefWeights w;
    RefCache cache;
    RefMember *member; // [members]
    int members;
    int embed, q, k, v, o, gate, up, down, head;       // matrices
    int norm_attention, norm_ffn, norm_final;          // norms
    float *x, *y;                                      // [n][hidden]
    float *xs;                                         // [n] inputs of a gemv in lane order
    float *qkv;                                        // [n][(heads + 2 kv_heads) * head_dim]
    float *h;                                          // [n][ffn]
    float *gain;                                       // [hidden]
    float *half;                                       // [65536] every 16-bit number of the K/V format as a float
};

// The schedule for a position.
const PkgSchedule *step_schedule(const Reference *r, int position);

// y = table[id].
void step_embed(Reference *r, const uint32_t *ids, int n);

// xs = norm(from, gain) in lane order, summed as a block of the schedule's threads does.
void step_norm(Reference *r, const float *from, int norm, int layer, int first, int n);

// A row of a matrix in lane order, until the member's next.
const float *step_row(const Reference *r, int member, int matrix, int layer, int row);

// to[i][at + row] = (plus ? plus[i][row] : 0) + matrix[row] . xs[i]; to's vectors are `stride` long.
void step_gemv(Reference *r, int matrix, int layer, int n, const float *plus, float *to, int at, int stride);

// Keeps K and V of positions first .. first+n-1; xs = merged attention of each. Overwrites the queries in qkv.
void step_attend(Reference *r, int layer, int first, int n);

// h = silu(gate x) * up x; x = y + down h, summed as parts.
void step_ffn(Reference *r, int layer, int first, int n);

// Bytes of one number of the K/V cache. One row of it, stored rounded to its format, and read: [head_dim].
int step_kv_bytes(const Reference *r);
void step_kv_put(Reference *r, int layer, int v, int head, int position, const float *row);
void step_kv_get(const Reference *r, int layer, int v, int head, int position, float *row);
