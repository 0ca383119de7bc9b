// fibers.cpp: stacks, the switch between them, and whose turn it is.
#include "grid.h"

namespace simt
{

// ---- the switch -----------------------------------------------------------------------------------------------------
// Saved are the registers that a call must leave alone; the rest died at the call. Rounding modes are never changed.

#if defined(__x86_64__)
asm(R"(
.text
.globl simt_switch
.hidden simt_switch
.type simt_switch, @function
simt_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size simt_switch, . - simt_switch
)");

void *fresh_stack(char *top, void (*entry)())
{
    void **at = (void **)((uintptr_t)top & ~(uintptr_t)15);
    *--at = nullptr; // entry's return address: a function starts 8 bytes off a multiple of 16
    *--at = (void *)entry;
    for (int saved = 0; saved < 6; ++saved)
        *--at = nullptr;
    return at;
}
#elif defined(__aarch64__)
asm(R"(
.text
.globl simt_switch
.hidden simt_switch
.type simt_switch, %function
simt_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size simt_switch, . - simt_switch
)");

void *fresh_stack(char *top, void (*entry)())
{
    void **at = (void **)((uintptr_t)top & ~(uintptr_t)15) - 20;
    for (int saved = 0; saved < 20; ++saved)
        at[saved] = nullptr;
    at[11] = (void *)entry; // x30: where `ret` goes
    return at;
}
#else
#error "fibers.cpp needs this processor's switch: save what a call preserves, change stacks, load it again"
#endif

// ---- turns ----------------------------------------------------------------------------------------------------------

static uint64_t random_word()
{
    uint64_t x = grid.random; // xorshift64
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return grid.random = x;
}

bool chance(unsigned of)
{
    return (random_word() >> 32) % of == 0;
}

// Everybody who polls looks again. False: nobody can run even then.
static bool wake_pollers()
{
    unsigned able = 0;
    for (unsigned i = 0; i < grid.warps; ++i) {
        Warp *w = &grid.warp[i];
        w->runnable |= w->polling;
        w->polling = 0;
        able |= w->runnable;
    }
    return able;
}

static Fiber *random_lane(Warp *w)
{
    unsigned lanes = w->runnable;
    for (unsigned skip = (unsigned)(random_word() >> 32) % (unsigned)__builtin_popcount(lanes); skip; --skip)
        lanes &= lanes - 1;
    return w->fibers + __builtin_ctz(lanes);
}

static Fiber *lane_after(Warp *w, unsigned lane)
{
    const unsigned after = lane < LANES - 1 ? w->runnable & ~0u << (lane + 1) : 0;
    return w->fibers + __builtin_ctz(after ? after : w->runnable);
}

// In turn: the next lane of the warp, then the next warp of the block, then the next block. With a seed: a random lane
// of the warp, now and then of any warp.
Fiber *next_fiber(Warp *warp, unsigned lane)
{
    // Early, so that some go on while others still work; not for ever, so that nobody else's turn is missed.
    if (grid.seed && grid.polls < EARLY_POLLS && chance(16))
        wake_pollers();
    for (;;) {
        const unsigned from =
            grid.seed && chance(8) ? (unsigned)(random_word() >> 32) % grid.warps : (unsigned)(warp - grid.warp);
        for (unsigned i = 0; i < grid.warps; ++i) {
            Warp *w = &grid.warp[from + i < grid.warps ? from + i : from + i - grid.warps];
            if (w->runnable)
                return grid.seed ? random_lane(w) : lane_after(w, w == warp ? lane : LANES - 1);
        }
        if (!grid.alive)
            return nullptr;
        if (!wake_pollers() || grid.polls > POLLS_WITHOUT_NEWS)
            report_deadlock();
    }
}

} // namespace simt
