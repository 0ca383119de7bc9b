//$ -- trace: when each worker had what each wave reads, and when it had done; for --trace and --explain.
//$ params "trace_at trace_stamps_at trace_workers trace_waves"
// Stamps: each worker's begin of the launch, then [token of the launch][worker][wave] {inputs there, done}. A worker begins a wave
// when it has done the one before. One thread of a worker writes them. A wave that waits for nothing leaves `inputs there` alone:
// a time before its begin stands there.
__device__ __forceinline__ void trace_begin(unsigned char* state, const unsigned worker)
{
    ((unsigned long long*)(state + $(trace_at)))[worker] = trace_now();
}
__device__ __forceinline__ unsigned long long* trace_stamps(unsigned char* state, const unsigned where, const unsigned worker)
{
    return (unsigned long long*)(state + $(trace_stamps_at)) + (((size_t)(where >> 16) * $(trace_workers) + worker) * $(trace_waves) + (where & 0xffffu)) * 2;
}
__device__ __forceinline__ void trace_ready(unsigned char* state, const unsigned where, const unsigned worker)
{
    trace_stamps(state, where, worker)[0] = trace_now();
}
__device__ __forceinline__ void trace_done(unsigned char* state, const unsigned where, const unsigned worker)
{
    trace_stamps(state, where, worker)[1] = trace_now();
}
