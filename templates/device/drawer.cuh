// drawer.cuh: workers that draw: who they are, what is asked of them, how they meet.

// A number that no other thread gets: how many came before.
__device__ __forceinline__ unsigned take_number(unsigned* taken)
{
    return atomicAdd(taken, 1u);
}

// Meetings of all workers, one after the other: a worker arrives, and leaves when as many have arrived as complete this one. What its
// block wrote before is then visible to all.
__device__ __forceinline__ unsigned arrive(unsigned* arrivals, unsigned workers)
{
    __threadfence();
    return (atomicAdd(arrivals, 1u) / workers + 1u) * workers;
}
__device__ __forceinline__ bool have_met(const unsigned* arrivals, unsigned target)
{
    return load_acquire(arrivals) >= target;
}

// A worker while it draws.
struct Drawer {
    int worker, thread;
    unsigned where;
    Request* request;
    unsigned tag; // of the packets of this token's choice; 0 where workers meet at barriers
};

// Request.choose.
enum { CHOOSE_VALUES = 1, CHOOSE_DRAWN = 2, CHOOSE_PENALTIES = 4, CHOOSE_TOLD = 8 };
