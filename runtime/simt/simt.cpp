// simt.cpp: where CUDA threads meet: warps, blocks, polls, fences and atomics, asynchronous copies.
#include "grid.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

namespace simt
{

Thread *current;
uint3 block_dim, grid_dim;
Grid grid;

// ---- warps ----------------------------------------------------------------------------------------------------------

static bool same_text(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

static bool same_site(const Site &a, Place at, Place caller, const char *op)
{
    return a.at.line == at.line && a.op == op && a.caller.line == caller.line && same_text(a.at.file, at.file);
}

[[noreturn]] __attribute__((noinline, cold)) static void fault_mask(const Fiber *f, unsigned mask, Place at,
                                                                    const char *op)
{
    const SiteText here = site_text({ at, f->caller, op });
    if (!(mask >> f->lane & 1))
        fault("%s: lane %u is not in its own mask 0x%08x (block %u, thread %u)", here.text, f->lane, mask, f->block.x,
              f->index.x);
    fault("%s: mask 0x%08x names lanes that do not exist or have returned: 0x%08x (block %u, warp %u)", here.text, mask,
          mask & ~f->warp->live, f->block.x, f->index.x / LANES);
}

[[noreturn]] __attribute__((noinline, cold)) static void fault_diverged(const Fiber *f, const Gather *g, unsigned mask,
                                                                        Place at, const char *op)
{
    fault("warp diverged (block %u, warp %u): lane %u is at %s, mask 0x%08x; lane %d is at %s, mask 0x%08x", f->block.x,
          f->index.x / LANES, f->lane, site_text({ at, f->caller, op }).text, mask, __builtin_ctz(g->arrived),
          site_text(g->site).text, g->mask);
}

// Where the lanes of `mask` meet, when they are not the whole warp. Disjoint masks meet apart.
static Gather *gather_of(Fiber *f, unsigned mask, Place at, const char *op)
{
    Warp *w = f->warp;
    Gather *mine = &w->gathers[f->lane];
    for (Gather &g : w->gathers) {
        if (g.arrived && g.mask == mask)
            mine = &g;
        else if (g.arrived && (g.mask >> f->lane & 1))
            fault_diverged(f, &g, mask, at, op);
    }
    return mine;
}

// A fence belongs to the atomics around it, not to those on the other side of a meeting.
static inline void forget_fence(Fiber *f)
{
    f->fenced = false;
    f->atomic = nullptr;
}

// One lane's part of a meeting of the lanes of `mask`: comes, waits for the others, leaves. The last to come calls
// finish(warp), which turns what all brought into what each takes. `ordered`: writes of all before are visible after;
// CUDA promises that of __syncwarp alone, not of shuffles and votes.
template <class Finish>
static inline void meet(Fiber *f, unsigned mask, Place at, const char *op, bool ordered, Finish finish)
{
    Warp *w = f->warp;
    const unsigned bit = 1u << f->lane;
    if (!(mask & bit) || (mask & ~w->live))
        fault_mask(f, mask, at, op);
    Gather *g = mask == ~0u ? &w->whole : gather_of(f, mask, at, op);
    char *order = &g->order[g->phase & 1];
    f->at = at;
    f->op = op;
    if (!g->arrived) {
        g->site = { at, f->caller, op };
        g->mask = mask;
    } else if (!same_site(g->site, at, f->caller, op)) {
        fault_diverged(f, g, mask, at, op);
    }
    g->arrived |= bit;
    if (ordered)
        order_release(order);
    if (g->arrived == mask) {
        g->arrived = 0;
        ++g->phase;
        finish(w);
        w->runnable |= mask;
        if (grid.seed && chance(4))
            give_way(f);
    } else {
        w->runnable &= ~bit;
        give_way(f);
    }
    if (ordered) {
        order_acquire(order);
        forget_fence(f);
    }
}

unsigned long long shuffle(unsigned mask, unsigned long long bits, unsigned from, const char *op, Place at)
{
    Fiber *f = self();
    if (!(mask >> from & 1))
        fault("%s: lane %u reads lane %u, which is not in the mask 0x%08x (block %u, warp %u)",
              site_text({ at, f->caller, op }).text, f->lane, from, mask, f->block.x, f->index.x / LANES);
    f->warp->word[f->lane] = bits;
    f->warp->from[f->lane] = (unsigned char)from;
    meet(f, mask, at, op, false, [mask](Warp *w) {
        uint64_t out[LANES];
        for (int lane = 0; lane < LANES; ++lane)
            out[lane] = w->word[w->from[lane] & 31];
        for (unsigned left = mask; left; left &= left - 1)
            w->word[__builtin_ctz(left)] = out[__builtin_ctz(left)];
    });
    return f->warp->word[f->lane];
}

unsigned ballot(unsigned mask, Ballot kind, bool vote, const char *op, Place at)
{
    Fiber *f = self();
    f->warp->word[f->lane] = vote;
    meet(f, mask, at, op, false, [mask, kind](Warp *w) {
        unsigned votes = 0;
        for (unsigned left = mask; left; left &= left - 1)
            votes |= (unsigned)w->word[__builtin_ctz(left)] << __builtin_ctz(left);
        const unsigned result = kind == BALLOT ? votes : kind == ANY ? votes != 0 : votes == mask;
        for (unsigned left = mask; left; left &= left - 1)
            w->word[__builtin_ctz(left)] = result;
    });
    return (unsigned)f->warp->word[f->lane];
}

// The tree of `v += __shfl_xor_sync(~0u, v, d)` for d = lanes/2, .., 2, 1. The operation commutes, so both partners of
// a level get the same bits: the first d of each group stand for all.
template <class Join> static inline void join_groups(float *number, unsigned lanes, Join join)
{
    for (float *group = number; group < number + LANES; group += lanes) {
        for (unsigned d = lanes / 2; d > 0; d /= 2)
            for (unsigned i = 0; i < d; ++i)
                group[i] = join(group[i], group[i + d]);
        for (unsigned i = 1; i < lanes; ++i)
            group[i] = group[0];
    }
}

// The same for the whole warp, which ends every row of every matrix. The lanes' numbers are read one by one: a wide
// load would wait until all 32 stores before it have left the store buffer, and the next row with it.
static inline void sum_warp(float *number)
{
    const volatile float *n = number;
    float t[LANES / 4];
    for (int i = 0; i < LANES / 4; ++i)
        t[i] = (n[i] + n[i + 16]) + (n[i + 8] + n[i + 24]);
    const float all = ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
    for (int i = 0; i < LANES; ++i)
        number[i] = all;
}

float group_sum(float v, unsigned lanes, Place at)
{
    Fiber *f = self();
    f->warp->number[f->lane] = v;
    meet(f, ~0u, at, "group_sum", false, [lanes](Warp *w) {
        if (lanes == LANES)
            sum_warp(w->number);
        else
            join_groups(w->number, lanes, [](float a, float b) { return a + b; });
    });
    return f->warp->number[f->lane];
}

float group_max(float v, unsigned lanes, Place at)
{
    Fiber *f = self();
    f->warp->number[f->lane] = v;
    meet(f, ~0u, at, "group_max", false, [lanes](Warp *w) { join_groups(w->number, lanes, fmaxf); });
    return f->warp->number[f->lane];
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

[[noreturn]] __attribute__((noinline, cold)) static void fault_block(const Fiber *f, Place at, const char *op)
{
    const Block *b = f->of;
    const SiteText here = site_text({ at, f->caller, op });
    if (b->alive != b->threads)
        fault("%s: thread %u of block %u is here, but %u threads have returned", here.text, f->index.x, f->block.x,
              b->threads - b->alive);
    fault("block %u diverged: thread %u is at %s; others are at %s", f->block.x, f->index.x, here.text,
          site_text(b->site).text);
}

unsigned block_count(bool vote, const char *op, Place at)
{
    Fiber *f = self();
    Block *b = f->of;
    const unsigned phase = b->phase & 1;
    f->at = at;
    f->op = op;
    if (!b->arrived)
        b->site = { at, f->caller, op };
    if (b->alive != b->threads || !same_site(b->site, at, f->caller, op))
        fault_block(f, at, op);
    b->votes[phase] += vote;
    order_release(&b->order[phase]);
    if (++b->arrived == b->threads) {
        b->arrived = 0;
        b->votes[++b->phase & 1] = 0;
        for (unsigned i = 0; i < b->n_warps; ++i)
            b->warps[i].runnable = b->warps[i].live;
        if (grid.seed && chance(2))
            give_way(f);
    } else {
        f->warp->runnable &= ~(1u << f->lane);
        give_way(f);
    }
    order_acquire(&b->order[phase]);
    forget_fence(f);
    return b->votes[phase];
}

// ---- other blocks ---------------------------------------------------------------------------------------------------

void poll(const char *op, Place at)
{
    Fiber *f = self();
    const unsigned bit = 1u << f->lane;
    f->at = at;
    f->op = op;
    f->warp->runnable &= ~bit;
    f->warp->polling |= bit;
    ++grid.polls;
    give_way(f);
}

// Somebody wrote what others may poll for.
void news()
{
    grid.polls = 0;
}

void fence()
{
    Fiber *f = self();
    f->fenced = true;
    if (f->atomic)
        order_acquire((void *)f->atomic);
}

void before_atomic(const void *p)
{
    Fiber *f = self();
    grid.polls = 0;
    if (grid.seed && chance(4))
        give_way(f);
    if (f->fenced)
        order_release((void *)p);
    f->atomic = p;
}

void before_release(const void *p)
{
    grid.polls = 0;
    order_release((void *)p);
}

// ---- the first threads of a block -------------------------------------------------------------------------------------

void meet_first(unsigned threads, const char *op, Place at)
{
    Fiber *f = self();
    Block *b = f->of;
    const unsigned phase = b->first_phase & 1;
    f->at = at;
    f->op = op;
    if (f->index.x >= threads)
        fault("%s: thread %u of block %u is none of the first %u", site_text({ at, f->caller, op }).text, f->index.x,
              f->block.x, threads);
    order_release(&b->first_order[phase]);
    if (++b->first_arrived == threads) {
        b->first_arrived = 0;
        ++b->first_phase;
        for (unsigned i = 0; i < threads / LANES; ++i)
            b->warps[i].runnable = b->warps[i].live;
    } else {
        f->warp->runnable &= ~(1u << f->lane);
        give_way(f);
    }
    order_acquire(&b->first_order[phase]);
    forget_fence(f);
}

// ---- bulk copies ------------------------------------------------------------------------------------------------------

// A barrier's word: bit 63 parity of the phase that goes on, 32 bits bytes awaited, 16 bits arrivals awaited, 15 bits
// arrivals of a phase.
enum { MB_COUNT = 0, MB_LEFT = 15, MB_BYTES = 31 };

static Bulk *bulks;
static unsigned n_bulks, bulks_cap;

static unsigned long long mb_field(unsigned long long word, int at, int bits)
{
    return word >> at & ((1ull << bits) - 1);
}

// Who came in the phase that goes on, of barriers for up to sixteen: a thread that comes twice stands in for one that did not.
struct Arrivals {
    const unsigned long long *barrier;
    unsigned n;
    const Fiber *who[16];
};
static Arrivals comers[4096]; // by a barrier's address; two that meet in a place forget each other

static Arrivals *mb_arrivals(const unsigned long long *barrier)
{
    Arrivals *a = &comers[((uintptr_t)barrier >> 3) * 2654435761u % 4096];
    if (a->barrier != barrier)
        *a = { barrier, 0, {} };
    return a;
}

// Ends the phase when nothing is awaited any more.
static void mb_settle(unsigned long long *barrier)
{
    const unsigned long long word = *barrier, count = mb_field(word, MB_COUNT, 15);
    if (mb_field(word, MB_LEFT, 16) || mb_field(word, MB_BYTES, 32))
        return;
    *barrier = (word ^ 1ull << 63) + (count << MB_LEFT);
    mb_arrivals(barrier)->n = 0;
    grid.polls = 0;
}

void mbarrier_set(unsigned long long *barrier, unsigned arrivals)
{
    *barrier = (unsigned long long)arrivals << MB_LEFT | arrivals << MB_COUNT;
    mb_arrivals(barrier)->n = 0;
}

void mbarrier_come(unsigned long long *barrier, unsigned bytes, Place at)
{
    Fiber *f = self();
    if (!mb_field(*barrier, MB_LEFT, 16))
        fault("%s: block %u, thread %u is one too many", site_text({ at, f->caller, "mbarrier" }).text, f->block.x, f->index.x);
    Arrivals *a = mb_arrivals(barrier);
    for (unsigned i = 0; i < a->n; ++i)
        if (a->who[i] == f)
            fault("%s: block %u, thread %u comes twice before all have come", site_text({ at, f->caller, "mbarrier" }).text, f->block.x, f->index.x);
    if (a->n < 16)
        a->who[a->n++] = f;
    order_release(barrier);
    *barrier += (unsigned long long)bytes << MB_BYTES;
    *barrier -= 1ull << MB_LEFT;
    mb_settle(barrier);
}

// The oldest copy of this block arrives.
static void bulk_arrive(Block *b)
{
    for (unsigned i = 0; i < n_bulks; ++i)
        if (bulks[i].owner == b) {
            const Bulk one = bulks[i];
            memmove(bulks + i, bulks + i + 1, sizeof *bulks * (--n_bulks - i));
            order_acquire(one.barrier);
            memcpy(one.to, one.from, one.bytes);
            order_release(one.barrier);
            *one.barrier -= (unsigned long long)one.bytes << MB_BYTES;
            mb_settle(one.barrier);
            return;
        }
}

bool mbarrier_is(unsigned long long *barrier, unsigned parity, bool wait, Place at)
{
    if (wait)
        poll("mbarrier_ready", at);
    bulk_arrive(self()->of);
    if (*barrier >> 63 == (parity & 1)) // the phase of that parity still goes on
        return false;
    order_acquire(barrier);
    return true;
}

void bulk(void *to, const void *from, unsigned bytes, unsigned long long *barrier, Place at)
{
    Fiber *f = self();
    const unsigned char *arena = (const unsigned char *)f->shared, *first = (const unsigned char *)to;
    if (first < arena || first + bytes > arena + grid.smem_bytes || !bytes || bytes % 16 || (uintptr_t)to % 16 || (uintptr_t)from % 16)
        fault("%s: block %u, thread %u copies %u bytes from %p to %p: multiples of 16 into its shared memory are possible",
              site_text({ at, f->caller, "bulk_copy" }).text, f->block.x, f->index.x, bytes, from, to);
    memset(to, 0xff, bytes);
    if (n_bulks == bulks_cap) {
        bulks_cap = bulks_cap ? 2 * bulks_cap : 64;
        bulks = (Bulk *)realloc(bulks, sizeof *bulks * bulks_cap);
        if (!bulks)
            no_memory("no memory for %u bulk copies [E0600]", bulks_cap);
    }
    order_release(barrier);
    bulks[n_bulks++] = { f->of, to, from, bytes, barrier };
    grid.polls = 0;
}

// ---- matrix instructions ----------------------------------------------------------------------------------------------

static float half_of(unsigned word, int high, bool f16)
{
    if (f16)
        return high ? f16_hi(word) : f16_lo(word);
    return __uint_as_float(high ? word & 0xffff0000u : word << 16);
}

// Row of A and column of B of one lane's result: see templates/device/mma.cuh.
static float product(const Warp *w, unsigned row, unsigned column, float sum, bool f16)
{
    for (unsigned k = 0; k < 16; ++k) {
        const unsigned part = k / 8 * 2 + row / 8, from = row % 8 * 4 + k % 8 / 2;
        sum = fmaf(half_of(w->matrices[from].a[part], k % 2, f16),
                   half_of(w->matrices[column * 4 + k % 8 / 2].b[k / 8], k % 2, f16), sum);
    }
    return sum;
}

void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], bool f16, const char *op, Place at)
{
    Fiber *f = self();
    Warp::Matrices *mine = &f->warp->matrices[f->lane];
    memcpy(mine->a, a, sizeof a);
    memcpy(mine->b, b, sizeof b);
    memcpy(mine->c, c, sizeof c);
    meet(f, ~0u, at, op, false, [f16](Warp *w) {
        for (unsigned lane = 0; lane < LANES; ++lane)
            for (unsigned e = 0; e < 4; ++e)
                w->matrices[lane].c[e] = product(w, lane / 4 + e / 2 * 8, lane % 4 * 2 + e % 2, w->matrices[lane].c[e], f16);
    });
    memcpy(c, mine->c, sizeof c);
}

// ---- cp.async -------------------------------------------------------------------------------------------------------

void copy_later(void *to, const void *from, Place at)
{
    Fiber *f = self();
    const unsigned char *arena = (const unsigned char *)f->shared, *first = (const unsigned char *)to;
    if (first < arena || first + 16 > arena + grid.smem_bytes)
        fault("%s: block %u, thread %u copies to 16 bytes that are not in its %d bytes of shared memory",
              site_text({ at, f->caller, "cp_async16" }).text, f->block.x, f->index.x, grid.smem_bytes);
    if ((uintptr_t)to % 16 || (uintptr_t)from % 16)
        fault("%s: block %u, thread %u copies 16 bytes from %p to %p: both must be multiples of 16",
              site_text({ at, f->caller, "cp_async16" }).text, f->block.x, f->index.x, from, to);
    if (f->n_copies == f->copies_cap) {
        f->copies_cap = f->copies_cap ? 2 * f->copies_cap : 16;
        f->copies = (Copy *)realloc(f->copies, sizeof *f->copies * (size_t)f->copies_cap);
        if (!f->copies)
            no_memory("no memory for %d copies of one thread [E0600]", f->copies_cap);
    }
    f->copies[f->n_copies++] = { (uint4 *)to, (const uint4 *)from, f->group };
}

// The oldest copy, when its group is not one of the `groups_left` newest that were committed.
Copy *copy_due(int groups_left)
{
    Fiber *f = self();
    if (!f->n_copies || f->copies[0].group >= f->group - groups_left)
        return nullptr;
    f->due = f->copies[0];
    memmove(f->copies, f->copies + 1, sizeof *f->copies * (size_t)--f->n_copies);
    return &f->due;
}

void trap(Place at)
{
    Fiber *f = self();
    fault("%s: block %u, thread %u", site_text({ at, f->caller, "__trap" }).text, f->block.x, f->index.x);
}

} // namespace simt

void __syncwarp(unsigned mask, simt::Place at)
{
    simt::meet(simt::self(), mask, at, "__syncwarp", true, [](simt::Warp *) {});
}

void cp_async_commit()
{
    ++simt::self()->group;
}

unsigned long long trace_now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000ull + (unsigned long long)t.tv_nsec;
}
