// plan.h: Plan: everything about one token of one model on one target, decided before anything is rendered.
#pragma once
#include "../graph/graph.h"
#include "../kernels/kernel.h"
#include "../model/model.h"
#include "../target/target.h"

#include <stdbool.h>
#include <stdint.h>

// One named range of memory. GLOBAL: in the program's one device allocation, behind the weights. SHARED: in a worker.
typedef struct Buffer {
    const char *name;
    Space space;
    int device;
    int64_t at, bytes;
    int first_wave, last_wave; // rolled waves between which it must keep its content; SHARED: one wave
} Buffer;

// One operation over one range of output rows, for one worker.
typedef struct Task {
    int op;                   // of the graph; for rolled waves the op of layer 0
    int wave, device, worker;
    int row, rows;            // output rows; attend: K/V head, 1
    int col, cols;            // K-slice; cols 0: all
    int part, parts;          // context part, or slot of a partial sum
    int select;               // MoE expert; 0
    int64_t weight_at, bytes; // first weight byte and bytes streamed, of layer 0; derived from rows and the matrix table
} Task;

// Tasks that may run at once, and the sync that ends them.
typedef struct Wave {
    const char *what;
    int op;                // every task of a wave has this op
    int first_task, tasks;
    int smem_bytes;
    int window, wide;      // FEED_BULK: bytes under way at most while this wave's are asked for: of its first slots, as many as
                           // the ring has, and of those behind them; 0
    Sync sync;
    Scope scope;
    double us;             // predicted
} Wave;

// A kernel as it is rendered for one op of a schedule.
typedef struct Kernel {
    const char *name; // of the function: "qkv"
    int op;
    const KernelKind *kind;
    Tiling tiling;
} Kernel;

// Schedules up to this context use one part a head (seed: one pass up to 384 positions).
// Styles are compared at PLAN_USUAL_CONTEXT.
// Polls of one wait before a worker gives up: about 3 s of a barrier, 2 s of packets on an H200; fewer than PLAN_POLL_LEAST could
// end a slow wave.
enum { PLAN_SHORT_CONTEXT = 384, PLAN_USUAL_CONTEXT = 1024, PLAN_POLL_LIMIT = 1 << 22, PLAN_POLL_PACKETS = 1 << 21, PLAN_POLL_LEAST = 1 << 16 };

// Waves first_wave .. first_wave+waves-1 run once for each of `layers` layers of one class.
typedef struct Repeat {
    int first_wave, waves, first_layer, layers, class;
} Repeat;

typedef VEC(Buffer) Buffers;
typedef VEC(Task) Tasks;
typedef VEC(Wave) Waves;
typedef VEC(Kernel) Kernels;
typedef VEC(Repeat) Repeats;
typedef VEC(Matrix) Matrices;

// One way through the model, for a range of contexts.
typedef struct Schedule {
    const char *name; // "decode_384"
    Phase phase;
    int positions, ctx_min, ctx_max;
    int workers, warps, regs; // regs: budget of registers a thread, so that one worker fits on a multiprocessor
    int parts;                // context parts of each K/V head
    Sync sync;
    Feed feed;
    int stages, window;       // FEED_BULK: slots of the ring; bytes under way at most in any wave; 0
    Tasks tasks;
    Waves waves;
    Buffers buffers;
    Kernels kernels;
    Repeats repeats;
    double us;                // predicted, one token at ctx_max
} Schedule;

typedef VEC(Schedule) Schedules;

// Norm weights: float32 vectors outside the streams, [layers] of them layer_stride apart.
typedef struct NormMap {
    int tensor;
    int64_t base, layer_stride; // bytes from the start of the weights
    int layers, cols;
} NormMap;

typedef struct PlanOptions {
    int ctx;      // compiled context; 0: the model's maximum, or what fits
    int workers, threads;
    int parts;      // context parts of each K/V head; 0: the planner decides, by context
    KvType kv;
    int sync, feed; // -1: the planner decides
    int poll_limit; // 0: default
    bool redzone;   // gaps of 4096 bytes between buffers, for tests
    bool trace;     // room for stamps of every worker and wave
} PlanOptions;

typedef struct Plan {
    Arena *arena;
    const Model *model;
    const Target *target;
    const Graph *graph;
    PlanOptions options;
    int ctx;                  // compiled context: positions the cache holds
    Matrices matrices;
    VEC(NormMap) norms;
    KvMap kv;
    Schedules schedules;
    int poll_limit;           // polls of one wait before it gives up
    int64_t weight_bytes;     // streams and norms, with padding
    int64_t state_bytes;      // all the rest of the device allocation
    int64_t parameter_bytes;  // parameters at two bytes, no padding: what is compared with other engines
    int64_t token_bytes;      // of those, what one token streams: all but an embedding that is only looked up
    int64_t norm_extra_bytes; // float32 instead of two bytes
    int64_t padding_bytes;    // zeros that complete 16-byte words, units and alignment
    uint64_t model_fingerprint, target_fingerprint; // what the plan was made for
    uint64_t matrix_fingerprint; // of the matrix table; also in the weights file
    uint64_t plan_fingerprint;   // of everything that changes code or results
} Plan;

// Do waves end in packets, with weights through a ring? Decided before the graph is fused: by what the options ask, what the
// kernels of that style can do here, what the card has, and which of the two is predicted to be faster at PLAN_USUAL_CONTEXT.
// false: *why_not says what speaks against it, for people.
// Error: PLAN_KERNEL when --sync packets or --feed bulk ask for what cannot be.
bool plan_splits(const Graph *unfused, const Target *t, const PlanOptions *o, const char **why_not);

// -ftrace: where the stamps lie, in the buffer "trace" of every schedule. [workers] begin of the launch, 8 bytes each; then
// [tokens of a launch][workers][waves] {inputs there, done}, 16 bytes each. One layout for all schedules: the most of any.
typedef struct TraceMap {
    int64_t at, stamps_at, bytes; // of the state; bytes 0: the plan has no trace
    int workers, waves;           // waves: of a token, unrolled
} TraceMap;
TraceMap plan_trace(const Plan *p);

// The passes, in order. Each fills its part and reads those before it.
Plan *plan_new(Arena *a, const Graph *g, const Target *t, const PlanOptions *o); // schedules, kernels, context
void plan_tile(Plan *p);   // tiling and row ranges of each op
void plan_assign(Plan *p); // tasks to workers
void plan_waves(Plan *p);  // waves, syncs, repeats
void plan_memory(Plan *p); // matrix table, norms, K/V map, buffers, shared memory
void plan_cost(Plan *p);   // bytes and predicted times
void plan_finish(Plan *p); // fingerprints

// All of them from plan_tile on.
void plan_make(Plan *p);

// The prover: rules 1-15 of the design; 12-15 are about packets and rings. Never repairs.
void plan_check(const Plan *p, Diags *d);
enum { PLAN_RULES = 15 };
extern const char *const plan_rules[PLAN_RULES + 1]; // from 1 on: one line each

// plan.json. Reading builds model, target and graph from it, reads the decisions, derives the rest and checks nothing but
// the form: plan_check must follow. plan_read_json(plan_write_json(p)) gives the same bytes.
void plan_write_json(const Plan *p, Str *out);
Plan *plan_read_json(Arena *a, const char *name, const char *text, size_t bytes);

// Tables for people; fixed columns. The second is what is predicted at contexts ctx[n], the third all that could be planned
// instead, with its time at those.
void plan_write_table(const Plan *p, Str *out);
void plan_write_predicted(const Plan *p, const int *ctx, int n, Str *out);
void plan_write_why(const Plan *p, const int *ctx, int n, Str *out);

// What a wave's tasks read, of layer 0; attention at the schedule's longest context.
typedef struct WaveLoad {
    int64_t *of; // [workers] bytes
    bool *works; // [workers] has a task
    int64_t most, all; // bytes of the busiest worker, and of all
    int active;        // workers that read
} WaveLoad;
WaveLoad plan_wave_load(const Plan *p, const Schedule *s, const Wave *w);

// What later passes ask.
int64_t plan_floor_bytes(const Plan *p, int ctx);               // weights and K/V of one token at a context
double plan_floor_us(const Plan *p, int ctx);                   // at the target's streaming rate
// Predicted microseconds of a token at a context, and of each rolled wave with the sync before it: us[s->waves.n], the mean of its
// layers.
double plan_wave_us(const Plan *p, const Schedule *s, int ctx, double *us);
double plan_token_us(const Plan *p, int ctx);                   // a token, by the schedule for that context
double plan_sync_us(const Plan *p, const Schedule *s, int wave); // of that, the sync, beside a busy memory
const Schedule *plan_schedule(const Plan *p, int ctx);          // for that context; beyond the last, the last
int plan_wave_times(const Schedule *s, int wave);               // a token runs it so often: layers, or 1
int plan_token_waves(const Schedule *s);                        // unrolled: 83 for Llama 3.2 1B
const Matrix *plan_matrix(const Plan *p, int tensor);           // NULL: not a matrix
const NormMap *plan_norm(const Plan *p, int tensor);
const Buffer *plan_buffer(const Schedule *s, const char *name); // GLOBAL; NULL: none
Choice plan_choice(const Plan *p, const Schedule *s, const Op *op);
int64_t plan_kv_position_bytes(const Plan *p);                  // K/V bytes of one position, all layers
bool plan_is_planned(const Op *op);                             // outside the layers or of layer 0
int plan_threads(const Schedule *s);                            // of a worker, with the warp that feeds a ring
const Kernel *plan_kernel(const Schedule *s, int op);
