// native.c: --target native and sm_XX on machines with a GPU, as a stand-in for the driver describes it.
#include "../../compiler/target/target.h"
#include "../said.h"
#include "../test.h"

typedef struct Case {
    const char *gpu, *target;
} Case;

static void load(const void *with)
{
    const Case *c = with;
    setenv("STAND_IN_GPU", c->gpu, 1);
    Arena *a = arena_new();
    Str text = str_new(a);
    target_print(target_load(a, c->target), &text);
    fprintf(stderr, "%s", text.text);
    arena_free(a);
}

static void expect(const char *gpu, const char *target, int code, const char *begins, const char *holds)
{
    const Case c = { gpu, target };
    const Said s = said(load, &c);
    ASSERT_INT(code, s.code);
    if (strncmp(s.text, begins, strlen(begins)) != 0 || !strstr(s.text, holds)) {
        printf("%s, --target %s: wanted \"%s\" ... \"%s\", got\n%s\n", gpu, target, begins, holds, s.text);
        test_failed = 1;
    }
}

#define H200 "NVIDIA H200|9|0|132|232448|65536|62914560|150000000000|3201000|6144"
#define H100 "NVIDIA H100 80GB HBM3|9|0|132|232448|65536|52428800|84900000000|2619000|5120"
#define T4 "Tesla T4|7|5|40|65536|65536|4194304|15835660288|5001000|256"
#define RTX_3060_TI "NVIDIA GeForce RTX 3060 Ti|8|6|38|101376|65536|4194304|8300000000|7001000|256"
#define NO_CLOCK "NVIDIA L4|8|9|58|101376|65536|50331648|23000000000|0|0"
#define RTX_3050_TI "NVIDIA GeForce RTX 3050 Ti Laptop GPU|8|6|20|101376|65536|2097152|4294967296|6001000|128"
#define ORIN "Orin|8|7|16|166912|65536|4194304|32000000000|1000|256"
#define VOLTA "Tesla V100|7|0|80|98304|65536|6291456|16900000000|877000|4096"

int main(void)
{
    // A card of the table gives its own facts, measured rate included; memory tells an H100 from an H200.
    expect(H200, "native", 0, "note: the GPU present is NVIDIA H200: 132 SMs, sm_90; target h200\nh200: NVIDIA H200\n",
           "4560  measured");
    expect(H100, "native", 0, "note: the GPU present is NVIDIA H100 80GB HBM3: 132 SMs, sm_90; target h100\n",
           "3350  data sheet");
    expect(T4, "native", 0, "note: the GPU present is Tesla T4: 40 SMs, sm_75; target t4\n", "320  data sheet");
    // sm_XX is the GPU present when that has this architecture, and else the reference card.
    expect(H200, "sm_90", 0, "note: sm_90 is taken as the GPU present: NVIDIA H200, 132 SMs; target h200\n", "4560");
    expect(H200, "sm_86", 0, "note: sm_86 is taken as rtx-3050 ", "212.9");
    // Any other card is what its driver says, and its rate is flagged as not measured.
    expect(RTX_3060_TI, "native", 0,
           "note: the GPU present is NVIDIA GeForce RTX 3060 Ti: 38 SMs, sm_86; target rtx-3060-ti\n",
           "448.064  data sheet  memory clock 7001000 kHz x 2 x 256 bit, from the driver; not measured");
    expect(RTX_3060_TI, "native", 0, "note:", "1,024  chosen      as rtx-3050, the reference card of sm_86");
    expect(RTX_3050_TI, "native", 0,
           "note: the GPU present is NVIDIA GeForce RTX 3050 Ti Laptop GPU: 20 SMs, sm_86; target "
           "rtx-3050-ti-laptop-gpu\n",
           "192.032  data sheet  ");
    expect(NO_CLOCK, "native", 0, "note: the GPU present is NVIDIA L4: 58 SMs, sm_89; target l4\n",
           "580  chosen      10 GB/s a multiprocessor: the driver tells no memory clock");
    expect(ORIN, "native", 0, "note: the GPU present is Orin: 16 SMs, sm_87; target orin\n",
           "1,024  chosen      as most cards of the table");
    expect(
        VOLTA, "native", 5,
        "llmc: error: --target native: device 0 is Tesla V100, sm_70, which no kernel of this version is written for",
        "[E0500]");
    expect(
        "broken", "native", 5,
        "llmc: error: --target native: the NVIDIA driver does not start (cuInit returns 999); name a target: t4 a100",
        "[E0500]");
    return test_failed;
}
