// compiles.c: the probe's kernels for every architecture of the table, through nvcc and NVRTC as far as they are there: no spill,
// no stack, and one worker's registers fit on a multiprocessor.
#include "../../compiler/probe/probe.h"
#include "../said.h"
#include "../test.h"

typedef struct Case {
    const char *target;
    bool nvrtc;
} Case;

static void build(const void *with)
{
    const Case *c = with;
    Arena *a = arena_new();
    const Target *t = target_load(a, c->target);
    const Source s = probe_source(a);
    const BuildOptions o = { 0 };
    const Artifact art = (c->nvrtc ? build_nvrtc : build_nvcc)(a, &s, t, &o);
    ASSERT_INT(5, art.n_kernels);
    for (int i = 0; i < art.n_kernels; ++i)
        ASSERT(art.kernels[i].registers <= 64 && !art.kernels[i].spill_bytes && !art.kernels[i].stack_bytes);
    arena_free(a);
    exit(test_failed);
}

int main(void)
{
    static const char *const cards[] = { "t4", "a100", "rtx-3050", "rtx-4090", "h200", "rtx-5090" };
    Arena *a = arena_new();
    const BuildOptions none = { 0 };
    const char *searched = "";
    for (int tool = 0; tool < 2; ++tool) {
        if (!(tool ? build_find_nvrtc : build_find_nvcc)(a, &none, &searched)) {
            printf("SKIP: no %s in %s\n", tool ? "NVRTC" : "nvcc", searched);
            continue;
        }
        for (int i = 0; i < ARRAY_LEN(cards); ++i) {
            const Case c = { cards[i], tool == 1 };
            const Said s = said(build, &c);
            if (s.code == 4 && strstr(s.text, "[E1004]"))
                printf("SKIP: %s", s.text);
            else
                ASSERT_INT(0, s.code);
            if (s.code != 0)
                printf("%s: %s\n", cards[i], s.text);
        }
    }
    arena_free(a);
    return test_failed;
}
