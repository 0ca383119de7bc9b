// bulk.cuh: copies from global to shared memory that the hardware makes by itself, and the barriers that count their bytes.
#ifndef LLMC_SIMT

__device__ __forceinline__ unsigned shared_address(const void* p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
// `arrivals` complete a phase; phases have parity 0, 1, 0, ...
__device__ __forceinline__ void mbarrier_init(unsigned long long* barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
// The copies may use the barriers that this thread has made.
__device__ __forceinline__ void mbarrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
// One arrival that also announces bytes.
__device__ __forceinline__ void mbarrier_expect(unsigned long long* barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void mbarrier_arrive(unsigned long long* barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(shared_address(barrier)) : "memory");
}
// Is the phase of this parity complete? May wait a little before it says no.
__device__ __forceinline__ bool mbarrier_ready(unsigned long long* barrier, unsigned parity)
{
    unsigned ready;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(ready) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    return ready;
}
// The same, at once.
__device__ __forceinline__ bool mbarrier_test(unsigned long long* barrier, unsigned parity)
{
    unsigned ready;
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(ready) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    return ready;
}
// Weights are read once a token: they leave the L2 first.
__device__ __forceinline__ unsigned long long evict_first()
{
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
// `bytes` (a multiple of 16) from global to shared memory; the barrier counts them.
__device__ __forceinline__ void bulk_copy(void* to, const void* from, unsigned bytes, unsigned long long* barrier,
                                          unsigned long long policy)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"
                 :: "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(policy) : "memory");
}
__device__ __forceinline__ void bulk_copy(void* to, const void* from, unsigned bytes, unsigned long long* barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier)) : "memory");
}
// What threads have written before is seen by copies issued behind it.
__device__ __forceinline__ void fence_copies()
{
    asm volatile("fence.proxy.async.global;" ::: "memory");
}
// The registers of loads that `word` is made of are filled when the thread goes on: a slot given back earlier would be
// overwritten under a load still on its way. What the predicate guards does no harm and is no branch: behind a branch of single lanes, as
// behind a loop that lanes leave one by one, the compiler keeps a second way through every later sync and shuffle of the warp.
__device__ __forceinline__ void loaded(unsigned word)
{
    asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0x7fc0dead; @p pmevent 7;}" :: "r"(word) : "memory");
}
#endif
