// grid.h: what the shim knows of a launch: fibers, warps, blocks, and who may run. Internal to runtime/simt.
#pragma once
#include "simt.h"
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

#include <stdint.h>

#ifdef SIMT_TSAN
extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned);
void __tsan_destroy_fiber(void *);
void __tsan_switch_to_fiber(void *, unsigned);
}
#endif

// Puts this fiber's registers on its stack, the stack pointer into *save, and goes on where `load` was saved.
extern "C" void simt_switch(void **save, void *load);

namespace simt
{

enum {
    LANES = 32,
    BLOCK_THREADS = 1024, // CUDA's limit
    MOST_ARGUMENTS = 6,
    STACK_BYTES = 64 << 10,
    GUARDED_FIBERS = 4096,        // more than these do without guard pages: each costs the kernel a mapping
    POLLS_WITHOUT_NEWS = 1 << 20, // then nobody will ever write what they poll for; 20 to 100 ms
    EARLY_POLLS = 1 << 12,
};

// Where a thread waits and for what.
struct Site {
    Place at, caller;
    const char *op;
};

struct Warp;
struct Block;

// Two cache lines hold all that a meeting touches.
struct alignas(64) Fiber : Thread {
    void *stack; // its saved stack pointer
    Warp *warp;
    Block *of;
    Place at; // where it waits, and in what
    const char *op;
    unsigned lane;
    bool done;
    bool fenced;        // since its last meeting: the next atomics carry its writes
    const void *atomic; // the last one since then, which a fence acquires
    void *tsan;
    Copy *copies; // outstanding cp.async, oldest first
    int n_copies, copies_cap, group;
    Copy due;
};

// The lanes of `mask` on their way into one meeting.
struct Gather {
    unsigned arrived, mask, phase;
    Site site;     // of the first
    char order[2]; // what the race checker orders by, for even and odd phases
};

struct Warp {
    unsigned live, runnable, polling; // a bit a lane
    Fiber *fibers;                    // of lane 0
    // What each lane brings and, when the last has come, takes away.
    alignas(32) float number[LANES];
    uint64_t word[LANES];
    unsigned char from[LANES];
    struct Matrices { // one lane's part of a matrix instruction
        unsigned a[4], b[2];
        float c[4];
    } matrices[LANES];
    Gather whole;          // of all 32 lanes
    Gather gathers[LANES]; // of fewer, each where the lane stands that came first
};

struct Block {
    Warp *warps;
    Fiber *fibers;
    unsigned char *shared;
    unsigned threads, n_warps, alive, arrived, phase, votes[2];
    Site site; // of the first in __syncthreads
    char order[2];
    unsigned first_arrived, first_phase; // of the first threads only
    char first_order[2];
};

struct Grid {
    unsigned blocks, threads, warps_a_block, warps; // warps: of all blocks
    int smem_bytes;
    Block *block; // [blocks]
    Warp *warp;   // [warps]
    Fiber *fiber; // [blocks * threads]
    char *stacks;
    size_t stack_bytes;
    void (*kernel)(void);
    const uint64_t *args;
    int n_args;
    unsigned alive;
    uint64_t seed;   // 0: lanes, warps and blocks in turn
    uint64_t random; // state of the generator
    unsigned polls;  // since the last write that one could be waiting for
    void *main_stack, *main_tsan;
    char ended; // what the race checker orders the end by
};

extern Grid grid;

// A bulk copy on its way: `owner` waits for it at `barrier`.
struct Bulk {
    Block *owner;
    void *to;
    const void *from;
    unsigned bytes;
    unsigned long long *barrier;
};

static inline Fiber *self()
{
    return (Fiber *)current;
}

static inline void order_acquire(void *p)
{
#ifdef SIMT_TSAN
    __tsan_acquire(p);
#else
    (void)p;
#endif
}

static inline void order_release(void *p)
{
#ifdef SIMT_TSAN
    __tsan_release(p);
#else
    (void)p;
#endif
}

// NULL: back to simt_launch, when nobody is left.
static inline void switch_to(Fiber *from, Fiber *to)
{
    if (to == from)
        return;
    current = to;
#ifdef SIMT_TSAN
    __tsan_switch_to_fiber(to ? to->tsan : grid.main_tsan, 1); // 1: a switch is no order
#endif
    simt_switch(&from->stack, to ? to->stack : grid.main_stack);
}

// Who runs next when a lane of `warp` gives way; NULL: all threads have returned. A deadlock ends the process.
Fiber *next_fiber(Warp *warp, unsigned lane);

// Lets others run: the next lane of the warp, else whoever is next. The fiber runs again once its bit in `runnable` is
// set and its turn comes. The first case is nearly all of them, and tests a bit instead of searching for one: so the
// processor need not know the bits to start with the next lane's instructions.
static inline void give_way(Fiber *f)
{
    if (!grid.seed && f->warp->runnable >> f->lane >> 1 & 1)
        switch_to(f, f + 1);
    else
        switch_to(f, next_fiber(f->warp, f->lane));
}

// With a seed: true one time in `of`.
bool chance(unsigned of);

// Stack and first frame of a fiber: it starts in `entry`, which must not return.
void *fresh_stack(char *top, void (*entry)());

// All print to stderr, start with "simt: " and end the process: with exit code 8, no_memory with 6.
[[noreturn]] void fault(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
[[noreturn]] void report_deadlock();
[[noreturn]] void no_memory(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// "file:line in op, called from file:line".
struct SiteText {
    char text[512];
};
SiteText site_text(const Site &s);

} // namespace simt
