// launch.cpp: a launch from its first fiber to its last, and the memory that launches of one shape share.
#include "grid.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif

namespace simt
{

enum {
#ifdef SIMT_ASAN
    FENCE_BYTES = 0, // ASan watches the end of shared memory itself
#else
    FENCE_BYTES = 256,
#endif
    SHARED_ALIGN = 1024, // what TMA asks for at most
    LANE_STAGGER = 128,  // 32 of them are a page: stacks of a warp's lanes do not compete for the same cache sets
    POISON = 0xff,
    FENCE = 0xa5,
};

static void call(void (*kernel)(void), const uint64_t *a, int n)
{
    typedef uint64_t A; // pointers and 64-bit integers are passed alike
    switch (n) {
    case 0:
        ((void (*)())kernel)();
        break;
    case 1:
        ((void (*)(A))kernel)(a[0]);
        break;
    case 2:
        ((void (*)(A, A))kernel)(a[0], a[1]);
        break;
    case 3:
        ((void (*)(A, A, A))kernel)(a[0], a[1], a[2]);
        break;
    case 4:
        ((void (*)(A, A, A, A))kernel)(a[0], a[1], a[2], a[3]);
        break;
    case 5:
        ((void (*)(A, A, A, A, A))kernel)(a[0], a[1], a[2], a[3], a[4]);
        break;
    case 6:
        ((void (*)(A, A, A, A, A, A))kernel)(a[0], a[1], a[2], a[3], a[4], a[5]);
        break;
    }
}

// A thread may leave only when nobody waits for it.
static void check_leaving(const Fiber *f)
{
    if (f->n_copies)
        fault("block %u, thread %u returned with %d cp.async outstanding: a cp_async_wait is missing", f->block.x,
              f->index.x, f->n_copies);
    if (f->of->arrived)
        fault("block %u, thread %u returned, but others wait at %s", f->block.x, f->index.x,
              site_text(f->of->site).text);
    for (int i = 0; i <= LANES; ++i) {
        const Gather *g = i < LANES ? &f->warp->gathers[i] : &f->warp->whole;
        if (g->arrived && (g->mask >> f->lane & 1))
            fault("block %u, thread %u returned, but its warp waits at %s", f->block.x, f->index.x,
                  site_text(g->site).text);
    }
}

static void thread_main()
{
    call(grid.kernel, grid.args, grid.n_args);
    Fiber *f = self();
    check_leaving(f);
    order_release(&grid.ended);
    f->done = true;
    f->warp->live &= ~(1u << f->lane);
    f->warp->runnable &= ~(1u << f->lane);
    --f->of->alive;
    --grid.alive;
    grid.polls = 0;
    give_way(f);
    abort(); // a fiber that is done never runs again
}

// ---- memory ---------------------------------------------------------------------------------------------------------

__attribute__((destructor)) static void memory_free()
{
    for (unsigned i = 0; i < grid.blocks; ++i)
        free(grid.block[i].shared);
    for (unsigned i = 0; i < grid.blocks * grid.threads; ++i)
        free(grid.fiber[i].copies);
    free(grid.block);
    free(grid.warp);
    free(grid.fiber);
    if (grid.stacks)
        munmap(grid.stacks, grid.stack_bytes);
    memset(&grid, 0, sizeof grid);
}

static void *zeroed(size_t n, size_t bytes)
{
    const size_t lines = (n * bytes + 63) / 64;
    void *at = aligned_alloc(64, lines * 64);
    if (!at)
        no_memory("no memory for %zu bytes [E0600]", lines * 64);
    return memset(at, 0, lines * 64);
}

static void stacks_new(unsigned fibers)
{
    grid.stack_bytes = (size_t)fibers * STACK_BYTES;
    void *at =
        mmap(nullptr, grid.stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        no_memory("no memory for %zu MiB of stacks [E0600]", grid.stack_bytes >> 20);
    grid.stacks = (char *)at;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (unsigned i = 0; fibers <= GUARDED_FIBERS && i < fibers; ++i)
        mprotect(grid.stacks + (size_t)i * STACK_BYTES, page, PROT_NONE);
}

static void memory_new(unsigned blocks, unsigned threads, int smem_bytes)
{
    if (grid.blocks == blocks && grid.threads == threads && grid.smem_bytes == smem_bytes)
        return;
    memory_free();
    grid.blocks = blocks;
    grid.threads = threads;
    grid.smem_bytes = smem_bytes;
    grid.warps_a_block = (threads + LANES - 1) / LANES;
    grid.warps = blocks * grid.warps_a_block;
    grid.block = (Block *)zeroed(blocks, sizeof(Block));
    grid.warp = (Warp *)zeroed(grid.warps, sizeof(Warp));
    grid.fiber = (Fiber *)zeroed((size_t)blocks * threads, sizeof(Fiber));
    for (unsigned i = 0; i < blocks; ++i) {
        void *at = nullptr;
        if (posix_memalign(&at, SHARED_ALIGN, (size_t)smem_bytes + FENCE_BYTES) != 0)
            no_memory("no memory for %d bytes of shared memory [E0600]", smem_bytes);
        grid.block[i].shared = (unsigned char *)at;
    }
    stacks_new(blocks * threads);
}

// ---- start and end --------------------------------------------------------------------------------------------------

static void block_start(unsigned index)
{
    Block *b = &grid.block[index];
    unsigned char *shared = b->shared;
    memset(b, 0, sizeof *b);
    b->shared = shared;
    memset(shared, POISON, (size_t)grid.smem_bytes);
    memset(shared + grid.smem_bytes, FENCE, FENCE_BYTES);
    b->threads = b->alive = grid.threads;
    b->n_warps = grid.warps_a_block;
    b->warps = &grid.warp[index * grid.warps_a_block];
    b->fibers = &grid.fiber[(size_t)index * grid.threads];
    memset(b->warps, 0, sizeof *b->warps * b->n_warps);
    for (unsigned i = 0; i < grid.threads; ++i) {
        Fiber *f = &b->fibers[i];
        Copy *copies = f->copies;
        const int cap = f->copies_cap;
        memset(f, 0, sizeof *f);
        f->copies = copies;
        f->copies_cap = cap;
        f->index.x = i;
        f->block.x = index;
        f->shared = (uint4 *)shared;
        f->of = b;
        f->warp = &b->warps[i / LANES];
        f->lane = i % LANES;
        if (f->lane == 0)
            f->warp->fibers = f;
        f->warp->live |= 1u << f->lane;
        char *top = grid.stacks + ((size_t)index * grid.threads + i + 1) * STACK_BYTES;
        f->stack = fresh_stack(top - f->lane * LANE_STAGGER, thread_main);
#ifdef SIMT_TSAN
        f->tsan = __tsan_create_fiber(0);
#endif
    }
    for (unsigned i = 0; i < b->n_warps; ++i)
        b->warps[i].runnable = b->warps[i].live;
}

static void block_end(const Block *b)
{
    for (int i = 0; i < FENCE_BYTES; ++i)
        if (b->shared[grid.smem_bytes + i] != FENCE)
            fault("block %u wrote behind its %d bytes of shared memory, at %d", b->fibers[0].block.x, grid.smem_bytes,
                  grid.smem_bytes + i);
#ifdef SIMT_TSAN
    for (unsigned i = 0; i < b->threads; ++i)
        __tsan_destroy_fiber(b->fibers[i].tsan);
#endif
}

// Runs kernel(args[0], ..) on blocks x threads, all of them resident, to its end. SIMT_SEED in the environment chooses
// the order in which threads run. Returns 0; faults end the process. One launch at a time.
static int launch(void (*kernel)(void), int blocks, int threads, int smem_bytes, const uint64_t *args, int n_args)
{
    if (blocks < 1 || blocks > 65535 || threads < 1 || threads > BLOCK_THREADS || smem_bytes < 0 || n_args < 0 ||
        n_args > MOST_ARGUMENTS)
        fault("a launch of %d blocks of %d threads with %d bytes of shared memory and %d arguments is not possible",
              blocks, threads, smem_bytes, n_args);
    memory_new((unsigned)blocks, (unsigned)threads, smem_bytes);
    const char *seed = getenv("SIMT_SEED");
    grid.seed = seed ? strtoull(seed, nullptr, 10) : 0;
    grid.random = grid.seed * 0x9e3779b97f4a7c15ull;
    grid.kernel = kernel;
    grid.args = args;
    grid.n_args = n_args;
    grid.alive = grid.blocks * grid.threads;
    grid.polls = 0;
    block_dim = { grid.threads, 1, 1 };
    grid_dim = { grid.blocks, 1, 1 };
    for (unsigned i = 0; i < grid.blocks; ++i)
        block_start(i);
#ifdef SIMT_TSAN
    grid.main_tsan = __tsan_get_current_fiber();
#endif
    Fiber *first = next_fiber(&grid.warp[0], LANES - 1);
    current = first;
#ifdef SIMT_TSAN
    __tsan_switch_to_fiber(first->tsan, 1);
#endif
    simt_switch(&grid.main_stack, first->stack);
    order_acquire(&grid.ended);
    for (unsigned i = 0; i < grid.blocks; ++i)
        block_end(&grid.block[i]);
    return 0;
}

} // namespace simt

extern "C" __attribute__((visibility("default"))) int simt_launch(void (*kernel)(void), int blocks, int threads,
                                                                  int smem_bytes, const uint64_t *args, int n_args)
{
    return simt::launch(kernel, blocks, threads, smem_bytes, args, n_args);
}
