// facts.c: what ptxas says of each kernel, from logs of nvcc and NVRTC as they came.
#include "../../compiler/base/file.h"
#include "../../compiler/build/build.h"
#include "../test.h"

static void expect(const KernelFacts *k, const char *name, int registers, int smem, int stack, int spill)
{
    ASSERT_STR(name, k->name);
    ASSERT_INT(registers, k->registers);
    ASSERT_INT(smem, k->smem_bytes);
    ASSERT_INT(stack, k->stack_bytes);
    ASSERT_INT(spill, k->spill_bytes);
}

static void check_log(Arena *a, const char *path)
{
    Artifact art = { 0 };
    build_parse_facts(a, (const char *)file_read(a, path).at, &art);
    ASSERT_INT(3, art.n_kernels);
    if (art.n_kernels != 3)
        return;
    expect(&art.kernels[0], "fill", 35, 0, 256, 0);
    expect(&art.kernels[1], "decode_4096", 64, 0, 464, 896);
    expect(&art.kernels[2], "decode_384", 12, 1024, 0, 0);
}

// A function that was not inlined spills: its kernel does.
static void check_called(Arena *a)
{
    Artifact art = { 0 };
    build_parse_facts(a,
                      "ptxas info    : Compiling entry function 'decode' for 'sm_75'\n"
                      "ptxas info    : Function properties for decode\n"
                      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                      "ptxas info    : Used 40 registers, 392 bytes cmem[0]\n"
                      "ptxas info    : Function properties for _Z6helperf\n"
                      "    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads",
                      &art);
    ASSERT_INT(1, art.n_kernels);
    expect(&art.kernels[0], "decode", 40, 0, 16, 12);
}

static void check_nothing(Arena *a)
{
    Artifact art = { 0 };
    build_parse_facts(a, "", &art);
    ASSERT_INT(0, art.n_kernels);
    build_parse_facts(a, "ptxas info    : Used 40 registers\n\n64 bytes stack frame", &art);
    ASSERT_INT(0, art.n_kernels);
    build_parse_facts(a, "Compiling entry function '", &art);
    ASSERT_INT(1, art.n_kernels);
    ASSERT_STR("", art.kernels[0].name);
    build_parse_facts(a, "Compiling entry function 'k\nUsed registers, 99999999999999999999 bytes smem", &art);
    ASSERT_STR("k", art.kernels[0].name);
    ASSERT_INT(0, art.kernels[0].registers);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    if (argc != 2)
        return 2;
    check_log(a, str_join(a, argv[1], "nvcc_13_facts.log"));
    check_log(a, str_join(a, argv[1], "nvrtc_13_facts.log"));
    check_called(a);
    check_nothing(a);
    arena_free(a);
    return test_failed;
}
