// trace.cuh: the clock of traces: nanoseconds, one time for all multiprocessors, which their own cycle counters are not. In which
// steps it moves is the card's matter; --explain prints the step it finds.
#ifndef LLMC_SIMT

__device__ __forceinline__ unsigned long long trace_now()
{
    unsigned long long v;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(v) :: "memory");
    return v;
}
#endif
