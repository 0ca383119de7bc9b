// check.c: a spill, a stack or a worker that does not fit ends the build, with the numbers and what to try.
#include "../../compiler/build/build.h"
#include "../said.h"
#include "../test.h"

typedef struct Case {
    KernelFacts kernels[2];
    int n_kernels, warps, wave_smem;
    const char *target;
    bool no_image;
} Case;

static void check(const void *with)
{
    const Case *c = with;
    Arena *a = arena_new();
    Wave waves[2] = { { .smem_bytes = c->wave_smem }, { .smem_bytes = 16 } };
    Schedule s = { .name = "decode_384", .warps = c->warps, .waves = { waves, 2, 2 } };
    const Plan p = { .arena = a, .target = target_load(a, c->target), .schedules = { &s, 1, 1 } };
    KernelFacts kernels[2] = { c->kernels[0], c->kernels[1] };
    const Artifact art = { .image = c->no_image ? NULL : "image", .bytes = 5, .cpu = strcmp(c->target, "cpu") == 0, .kernels = kernels, .n_kernels = c->n_kernels,
                           .tool = "nvcc 13.0.88", .log = "" };
    build_check(&art, &p);
    arena_free(a);
}

static void expect(Case c, int code, const char *want)
{
    const Said s = said(check, &c);
    ASSERT_STR(want, s.text);
    ASSERT_INT(code, s.code);
}

int main(void)
{
    const KernelFacts good = { "decode", 64, 1024, 0, 0 };
    expect((Case){ { good }, 1, 32, 65536, "rtx-3050", false }, 0, "");
    expect(
        (Case){ { { "decode", 64, 0, 464, 876 } }, 1, 32, 0, "rtx-3050", false }, 4,
        "llmc: error: kernel decode spills 876 bytes a thread to local memory at 64 registers and 1,024 threads: "
        "plan with --threads 512, which leaves each 128 registers [E1002]\n");
    expect(
        (Case){ { good, { "fill", 35, 0, 256, 0 } }, 2, 32, 0, "rtx-3050", false }, 4,
        "llmc: error: kernel fill keeps 256 bytes a thread on a stack in local memory: a template indexes an array by "
        "a value that is not known when it is compiled [E1002]\n");
    // Registers are given out 8 a thread, warps in fours: 65 count as 72, 9 warps as 12.
    expect(
        (Case){ { { "decode", 65, 0, 0, 0 } }, 1, 32, 0, "rtx-3050", false }, 4,
        "llmc: error: kernel decode needs 65 registers x 1,024 threads = 73,728 with rounding: a multiprocessor of "
        "rtx-3050 has 65,536; plan with --threads 512, which leaves each 128 registers [E1003]\n");
    expect((Case){ { { "decode", 255, 0, 0, 0 } }, 1, 8, 0, "h200", false }, 0, "");
    expect(
        (Case){ { { "decode", 255, 0, 0, 0 } }, 1, 9, 0, "h200", false }, 4,
        "llmc: error: kernel decode needs 255 registers x 288 threads = 98,304 with rounding: a multiprocessor of "
        "h200 has 65,536; plan with --threads 144, which leaves each 255 registers [E1003]\n");
    // The plan's arena counts beside what the text declares itself.
    expect((Case){ { good }, 1, 32, 100352, "rtx-3050", false }, 0, "");
    expect((Case){ { good }, 1, 32, 100353, "rtx-3050", false }, 4,
           "llmc: error: kernel decode needs 101,377 bytes of shared memory: a worker on rtx-3050 gets at most "
           "101,376; plan with fewer --threads [E1003]\n");
    expect((Case){ { { "decode", 64, 0, 0, 4 } }, 1, 1, 0, "rtx-3050", false }, 4,
           "llmc: error: kernel decode spills 4 bytes a thread to local memory at 64 registers and 32 threads: no "
           "smaller worker is possible: choose another target [E1002]\n");
    expect((Case){ { { "decoder", 64, 0, 0, 0 } }, 1, 32, 0, "rtx-3050", false }, 4,
           "llmc: error: nvcc 13.0.88 says nothing of kernel decode, which every program has [E1001]\n");
    // Every fault in one run; a dry run and the CPU have nothing to check.
    expect(
        (Case){ { { "decode", 72, 0, 0, 8 } }, 1, 32, 200000, "t4", false }, 4,
        "llmc: error: kernel decode spills 8 bytes a thread to local memory at 72 registers and 1,024 threads: "
        "plan "
        "with --threads 512, which leaves each 128 registers [E1002]\n"
        "llmc: error: kernel decode needs 72 registers x 1,024 threads = 73,728 with rounding: a multiprocessor of "
        "t4 has 65,536; plan with --threads 512, which leaves each 128 registers [E1003]\n"
        "llmc: error: kernel decode needs 200,000 bytes of shared memory: a worker on t4 gets at most 65,536; plan "
        "with fewer --threads [E1003]\n");
    expect((Case){ { good }, 0, 32, 0, "rtx-3050", true }, 0, "");
    expect((Case){ { good }, 0, 2, 0, "cpu", false }, 0, "");
    return test_failed;
}
