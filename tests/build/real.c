// real.c: nvcc and NVRTC as they are installed: images of every architecture, equal bytes twice, spills refused.
// A tool that is not there is named with SKIP.
#include "../said.h"
#include "../test.h"
#include "text.h"

typedef Artifact (*Build)(Arena *, const Source *, const Target *, const BuildOptions *);

// What rendered text has: constants, functions that are not inlined, shared memory of the launch, several entries.
static const char good[] =
    "__constant__ int rows[4] = { 1, 2, 3, 4 };\n"
    "__device__ __noinline__ float scaled(float x, int i) { return fmaf(x, 2.0f, (float)rows[i & 3]); }\n"
    "extern \"C\" __global__ void __launch_bounds__(1024, 1) decode(const float* x, float* y)\n"
    "{\n"
    "    extern __shared__ float arena[];\n"
    "    arena[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x + 1] + x[threadIdx.x + 2];\n"
    "    __syncthreads();\n"
    "    y[threadIdx.x] = scaled(arena[threadIdx.x ^ 1], threadIdx.x);\n"
    "}\n"
    "extern \"C\" __global__ void __launch_bounds__(1024, 1) fill(float* y) { y[threadIdx.x] = 1.0f; }\n";

// 128 values alive over a loop, where 1,024 threads leave each 64 registers.
static const char spilling[] =
    "extern \"C\" __global__ void __launch_bounds__(1024, 1) decode(const float* x, float* y, int n)\n"
    "{\n"
    "    float v[128];\n"
    "    #pragma unroll\n"
    "    for (int i = 0; i < 128; ++i)\n"
    "        v[i] = x[i * n + threadIdx.x];\n"
    "    for (int k = 0; k < n; ++k)\n"
    "        #pragma unroll\n"
    "        for (int i = 0; i < 128; ++i)\n"
    "            v[i] = fmaf(v[i], v[(i * 7 + 1) % 128], x[k]);\n"
    "    float sum = 0.0f;\n"
    "    #pragma unroll\n"
    "    for (int i = 0; i < 128; ++i)\n"
    "        sum += v[i] * (float)i;\n"
    "    y[threadIdx.x] = sum;\n"
    "}\n";

static const char broken[] = "extern \"C\" __global__ void k(float* y)\n{\n    y[0] = 1.0f;\n    y[1] = missing;\n}\n";

static void check(Arena *a, const Artifact *art, const Target *t)
{
    Schedule s = { .name = "decode_384", .warps = 32 };
    const Plan p = { .arena = a, .target = t, .schedules = { &s, 1, 1 } };
    build_check(art, &p);
}

static void build_broken(const void *with)
{
    Build build;
    memcpy(&build, with, sizeof build);
    Arena *a = arena_new();
    const Source s = text_of(a, broken);
    build(a, &s, target_load(a, "rtx-3050"), &(BuildOptions){ 0 });
    arena_free(a);
}

static void build_spilling(const void *with)
{
    Build build;
    memcpy(&build, with, sizeof build);
    Arena *a = arena_new();
    const Source s = text_of(a, spilling);
    const Target *t = target_load(a, "rtx-3050");
    const Artifact art = build(a, &s, t, &(BuildOptions){ 0 });
    check(a, &art, t);
    arena_free(a);
}

typedef struct Good {
    Build build;
    const char *target;
} Good;

static void build_good(const void *with)
{
    const Good *g = with;
    Arena *a = arena_new();
    const Source s = text_of(a, good);
    const Target *t = target_load(a, g->target);
    const Artifact once = g->build(a, &s, t, &(BuildOptions){ 0 }), twice = g->build(a, &s, t, &(BuildOptions){ 0 });
    ASSERT(once.bytes > 1000 && memcmp(once.image, "\177ELF", 4) == 0);
    ASSERT(once.bytes == twice.bytes && memcmp(once.image, twice.image, once.bytes) == 0);
    ASSERT_INT(2, once.n_kernels);
    for (int k = 0; k < once.n_kernels; ++k)
        ASSERT(once.kernels[k].registers >= 4 && once.kernels[k].registers <= 64 && !once.kernels[k].spill_bytes);
    check(a, &once, t);
    arena_free(a);
    exit(test_failed);
}

// Each architecture's reference card; one that an older tool does not know is named.
static void check_good(Build build)
{
    int n;
    const char *const *names = target_names(&n);
    Arena *a = arena_new();
    for (int i = 0; i < n; ++i) {
        const int sm = target_load(a, names[i])->sm;
        const char *reference = target_reference(sm);
        if (!reference || !str_equal(reference, names[i]))
            continue;
        const Good g = { build, names[i] };
        const Said s = said(build_good, &g);
        if (s.code == 4 && strstr(s.text, "[E1004]"))
            printf("SKIP: %s", s.text);
        else
            ASSERT_INT(0, s.code);
        if (s.code != 0)
            printf("%s: %s\n", names[i], s.text);
    }
    arena_free(a);
}

static void check_tool(const char *name, Build build)
{
    check_good(build);
    const Said wrong = said(build_broken, &build);
    ASSERT_INT(4, wrong.code);
    ASSERT(strstr(wrong.text, "templates/gemv_rows.cu:104: error: identifier \"missing\" is undefined") != NULL);
    const Said spill = said(build_spilling, &build);
    ASSERT_INT(4, spill.code);
    ASSERT(strstr(spill.text, "llmc: error: kernel decode spills ") == spill.text);
    ASSERT(strstr(spill.text,
                  "at 64 registers and 1,024 threads: plan with --threads 512, which leaves each 128 registers "
                  "[E1002]\n") != NULL);
    if (test_failed)
        printf("with %s; it said\n%s\n%s\n", name, wrong.text, spill.text);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    const BuildOptions none = { 0 };
    const char *searched = "";
    if (argc == 2 && strcmp(argv[1], "nvcc") == 0) {
        if (build_find_nvcc(a, &none, &searched))
            check_tool("nvcc", build_nvcc);
        else
            printf("SKIP: no nvcc found in %s\n", searched);
    } else if (argc == 2 && strcmp(argv[1], "nvrtc") == 0) {
        if (build_find_nvrtc(a, &none, &searched))
            check_tool("NVRTC", build_nvrtc);
        else
            printf("SKIP: no NVRTC found in %s\n", searched);
    } else {
        return 2;
    }
    arena_free(a);
    return test_failed;
}
