// kernel.h: KernelKind: what the planner must know of a kernel template, and the words they share.
#pragma once
#include "../graph/graph.h"
#include "../target/target.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum Layout {
    LAYOUT_ROWS,     // row after row, each padded to 16 bytes
    LAYOUT_LANES,    // 32 rows side by side: word after word of 8 columns, 32 lanes each; in column slices
    LAYOUT_FRAGMENTS // the order mma wants: units of 8 rows, dealt to workers
} Layout;

typedef enum Sync { SYNC_BARRIER, SYNC_PACKETS } Sync;      // how a wave ends
typedef enum Scope { SCOPE_GPU, SCOPE_SYSTEM } Scope;        // who takes part in a sync
typedef enum Feed { FEED_PLAIN, FEED_ASYNC, FEED_BULK } Feed; // how weights reach a worker
typedef enum Phase { PHASE_DECODE, PHASE_PREFILL } Phase;
typedef enum Space { SPACE_GLOBAL, SPACE_SHARED } Space;
typedef enum KvType { KV_F16, KV_BF16, KV_F32 } KvType;
typedef enum Swizzle { SWIZZLE_NONE, SWIZZLE_XOR } Swizzle;

// How one weight tensor lies in memory: shared by every schedule, never repacked for another. One copy a layer.
// ROWS:  (row, col) at base + layer*layer_stride + row*slice_cols*bytes + col*bytes; one slice.
// LANES: slice s holds columns slice_first[s] .. slice_first[s+1]-1; (row, col of the slice) at
//        base + layer*layer_stride + s*stride + ((row/32 * slice_cols/8 + col/8) * 32 + row%32) * 16 + col%8 * bytes.
// FRAGMENTS: matrices that are read as one form a stack of stack_rows rows and share base and bytes; a matrix's row is the
//        stack's row stack_row + row*weave + thread. Eight of those are a unit; worker w of `deal` has units/deal of them, the
//        first units%deal workers one more; the i-th unit of worker w is the (i*deal + w)-th in memory, 8*cols numbers long,
//        and (row, col) of the unit lies at col/32*512 + row*64 + col%32*2 bytes in it.
typedef struct Matrix {
    int tensor; // of the graph; of layer 0 where every layer has one
    const Format *format;
    Layout layout;
    int layout_version;
    int layers;
    int rows, cols;           // the tensor's
    int unit_rows, unit_cols; // what padding completes: ROWS 1 x 8, LANES 32 x 8
    int slices, slice_cols;   // column slices; padded columns of one
    const int *slice_first;   // [slices + 1] first columns; the last is cols
    int64_t base, stride, layer_stride; // bytes; base counts from the start of the weights
    int64_t bytes;            // of one layer's copy, with padding
    int scale_bytes;          // a unit; 0: the format has no scales of its own
    int deal, stack_row, stack_rows, thread, weave; // FRAGMENTS; 0 elsewhere
} Matrix;

// Where units of 8 rows go that are dealt to `workers`: how many worker w has and which is its first; whose unit u is.
static inline int deal_units(int units, int workers, int w)
{
    return units / workers + (w < units % workers);
}
static inline int deal_first(int units, int workers, int w)
{
    const int more = units % workers;
    return w * (units / workers) + (w < more ? w : more);
}
static inline int deal_owner(int units, int workers, int u)
{
    const int least = units / workers, more = units % workers;
    return u < more * (least + 1) ? u / (least + 1) : more + (u - more * (least + 1)) / least;
}

// Who attends, of workers that send packets: the last ones, a head's parts next to each other; where units do not deal out evenly the
// first workers have one more.
static inline int deal_attention(int kv_heads, int parts, int workers, int head, int part)
{
    return workers - kv_heads * parts + head * parts + part;
}

// K/V cache: K of (layer, head, position) at layer*layer_stride + head*head_stride + position*row_bytes, V v_offset behind.
typedef struct KvMap {
    KvType k, v;
    int row_bytes; // of one position of one head
    int tile_tokens;
    Swizzle swizzle;
    int64_t layer_stride, head_stride, v_offset, bytes;
} KvMap;

// What a kernel is asked about: where and how it is to run.
typedef struct Choice {
    int ctx;           // largest context of the schedule
    int positions;     // 1 in decode
    int workers, warps, regs; // blocks; warps of each; registers a thread may use
    int parts;         // context parts of each K/V head
    KvType kv;
    Sync sync;
    Feed feed;
    const Matrix *matrix; // the op's first weight, NULL before the matrix table is made
} Choice;

// How a kernel cuts its work inside a task. Fields a kernel has no use for are 0.
typedef struct Tiling {
    int granule; // a task's rows are a multiple of it
    int rows;    // gemv, ffn: rows a warp takes at once; 1, 2 or 4
    int unroll;  // 16-byte words of one row a lane has in flight
    int splits;  // reduce: threads that share one row's parts
    int heads;   // attend: query heads one lane serves
    int lanes;   // attend: lanes that share one position; reduce: threads side by side on a task's rows
    int chunk;   // attend: positions a lane takes at once
    int streams; // attend: independent softmax streams of one head in a worker
    int tile;    // attend: positions of one context tile = streams * chunk
} Tiling;

// Shared memory of one kernel: named pieces, laid out from 0, each 16-byte aligned.
enum { SMEM_PIECES = 8 };
typedef struct SmemPiece {
    const char *name;
    int at, bytes;
} SmemPiece;
typedef struct Smem {
    SmemPiece piece[SMEM_PIECES];
    int n, bytes;
} Smem;
void smem_add(Smem *s, const char *name, int bytes);
int smem_at(const Smem *s, const char *name);

// What a template sees, in order.
typedef enum ParamKind { PARAM_INT, PARAM_BOOL, PARAM_STRING, PARAM_FLOAT } ParamKind;
typedef struct Param {
    const char *name;
    ParamKind kind;
    int64_t i;
    double f;
    const char *s;
} Param;
typedef struct Params {
    Arena *arena;
    VEC(Param) list;
} Params;
void param_int(Params *p, const char *name, int64_t i);
void param_bool(Params *p, const char *name, bool b);
void param_string(Params *p, const char *name, const char *s);
void param_float(Params *p, const char *name, double f);

enum { BACKENDS = 1 };

typedef struct KernelKind {
    const char *name, *template[BACKENDS]; // "gemv_rows", { "gemv_rows.cu" }
    OpKind op;
    // Can it do this op here? false: *why_not says what stands in the way, for people.
    bool (*fits)(const Op *, const Graph *, const Target *, const Choice *, const char **why_not);
    Tiling (*tile)(const Op *, const Graph *, const Target *, const Choice *);
    // Can the template render this tiling (of a plan that was edited by hand)?
    bool (*valid)(const Op *, const Graph *, const Choice *, const Tiling *, const char **why_not);
    // DRAM traffic of `rows` output rows, for balance and cost.
    int64_t (*bytes)(const Op *, const Graph *, const Choice *, int rows);
    void (*smem)(const Op *, const Graph *, const Choice *, const Tiling *, Smem *);
    void (*params)(const Op *, const Graph *, const Choice *, const Tiling *, Params *);
    // How the matrix of a slot has to lie.
    Layout (*layout)(const Op *, const Graph *, const char *slot);
} KernelKind;

// Every kernel, in order of preference.
extern const KernelKind *const kernel_kinds[];
extern const int kernel_kinds_n;

// The first kind that fits. Error: PLAN_KERNEL, with every kind's reason.
const KernelKind *kernel_find(const Op *op, const Graph *g, const Target *t, const Choice *c);
// The same; NULL: none fits, *why_not says for people what each lacks.
const KernelKind *kernel_fitting(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not);
const KernelKind *kernel_by_name(const char *name); // NULL: none

// Names for dumps and plan.json, and back (-1: no such name).
const char *layout_name(Layout l);
const char *sync_name(Sync s);
const char *feed_name(Feed f);
const char *kv_name(KvType k);
int kv_bytes(KvType k);
int layout_find(const char *name);
int sync_find(const char *name);
int feed_find(const char *name);
int kv_find(const char *name);

extern const KernelKind kernel_split_embed, kernel_split_gemv, kernel_split_gated, kernel_split_attend, kernel_split_select;
extern const KernelKind kernel_embed, kernel_gemv_rows, kernel_attend, kernel_ffn_lanes, kernel_reduce, kernel_select;
