// build.c: which tool compiles, and whether what it made fits the plan.
#include "tool.h"

#include "../../runtime/package.h"

static Artifact build_either(Arena *a, const Source *s, const Target *t, const BuildOptions *o)
{
    const char *nvcc_places, *nvrtc_places;
    if (build_find_nvcc(a, o, &nvcc_places))
        return build_nvcc(a, s, t, o);
    if (build_find_nvrtc(a, o, &nvrtc_places))
        return build_nvrtc(a, s, t, o);
    error_at(NOWHERE, ERR_TOOL_MISSING,
             "no CUDA compiler: no nvcc in %s; no libnvrtc.so.13 or .12 in %s; "
             "`pip install nvidia-cuda-nvrtc` is enough",
             nvcc_places, nvrtc_places);
}

Artifact build_any(Arena *a, const Source *s, const Target *t, const BuildOptions *o)
{
    if (o->nvcc && o->nvrtc)
        error_at(NOWHERE, ERR_USAGE, "--nvcc and --nvrtc exclude each other");
    if (t->kind == TARGET_CPU || o->cpu) {
        Artifact art = build_cpu(a, s, t, o);
        art.cpu = true;
        return art;
    }
    if (o->nvcc)
        return build_nvcc(a, s, t, o);
    if (o->nvrtc)
        return build_nvrtc(a, s, t, o);
    return build_either(a, s, t, o);
}

// ---- what ptxas made against what was planned ---------------------------------------------------------------------

// Registers of one block as the hardware gives them out: 256 at a time to a warp (8 a thread), warps in fours. CUDA
// occupancy calculator, compute capability 7.0 to 12.1.
static int64_t block_registers(int registers, int threads)
{
    const int64_t a_thread = (registers + 7) / 8 * 8, warps = ((threads + 31) / 32 + 3) / 4 * 4;
    return a_thread * 32 * warps;
}

// "plan with --threads 512, which leaves each 128 registers", or what is left when the worker is small already.
static const char *smaller_worker(Arena *a, const Target *t, int threads)
{
    if (threads < 64)
        return "no smaller worker is possible: choose another target";
    const int registers = t->regs_per_sm / (threads / 2);
    return str_format(a, "plan with --threads %d, which leaves each %d registers", threads / 2,
                      registers > 255 ? 255 : registers);
}

static int largest_wave_smem(const Schedule *s)
{
    int bytes = 0;
    for (int i = 0; i < s->waves.n; ++i)
        if (s->waves.at[i].smem_bytes > bytes)
            bytes = s->waves.at[i].smem_bytes;
    return bytes;
}

static void check_local_memory(Arena *a, const KernelFacts *k, const Plan *p, Diags *d)
{
    const int threads = p->schedules.n ? p->schedules.at[0].warps * 32 : p->target->worker_threads;
    if (k->spill_bytes > 0)
        diag_add(d, NOWHERE, ERR_TOOL_SPILL,
                 "kernel %s spills %s bytes a thread to local memory at %d registers and %s threads: %s", k->name,
                 str_count(a, k->spill_bytes), k->registers, str_count(a, threads),
                 smaller_worker(a, p->target, threads));
    else if (k->stack_bytes > 0)
        diag_add(d, NOWHERE, ERR_TOOL_SPILL,
                 "kernel %s keeps %s bytes a thread on a stack in local memory: a template indexes an array by a value "
                 "that is not known when it is compiled",
                 k->name, str_count(a, k->stack_bytes));
}

// The kernel runs all schedules: it needs the shared memory of the one that takes most.
static void check_occupancy(Arena *a, const KernelFacts *k, const Plan *p, Diags *d)
{
    const Target *t = p->target;
    const int threads = p->schedules.at[0].warps * 32;
    int dynamic = 0;
    for (int i = 0; i < p->schedules.n; ++i) {
        const int bytes = largest_wave_smem(&p->schedules.at[i]);
        dynamic = bytes > dynamic ? bytes : dynamic;
    }
    const int smem_bytes = k->smem_bytes + dynamic;
    const int64_t registers = block_registers(k->registers, threads);
    if (registers > t->regs_per_sm)
        diag_add(d, NOWHERE, ERR_TOOL_OCCUPANCY,
                 "kernel %s needs %d registers x %s threads = %s with rounding: a multiprocessor of %s has %s; %s",
                 k->name, k->registers, str_count(a, threads), str_count(a, registers), t->name,
                 str_count(a, t->regs_per_sm), smaller_worker(a, t, threads));
    if (smem_bytes > t->smem_block_bytes)
        diag_add(d, NOWHERE, ERR_TOOL_OCCUPANCY,
                 "kernel %s needs %s bytes of shared memory: a worker on %s gets at most %s; plan with fewer --threads",
                 k->name, str_count(a, smem_bytes), t->name, str_count(a, t->smem_block_bytes));
}

static const KernelFacts *facts_of(const Artifact *art, const char *name)
{
    for (int i = 0; i < art->n_kernels; ++i)
        if (str_equal(art->kernels[i].name, name))
            return &art->kernels[i];
    return NULL;
}

void build_check(const Artifact *art, const Plan *p)
{
    Diags d = { .arena = p->arena };
    if (!art->image || art->cpu)
        return;
    for (int i = 0; i < art->n_kernels; ++i)
        check_local_memory(p->arena, &art->kernels[i], p, &d);
    const KernelFacts *k = facts_of(art, PKG_ENTRY);
    if (!k)
        diag_add(&d, NOWHERE, ERR_TOOL_FAILED, "%s says nothing of kernel " PKG_ENTRY ", which every program has", art->tool);
    else
        check_occupancy(p->arena, k, p, &d);
    diag_exit_if_any(&d);
}
