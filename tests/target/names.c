// names.c: what --target takes: cards, architectures with their reference card, and exact words for everything else.
#include "../../compiler/target/target.h"
#include "../said.h"
#include "../test.h"

static void load(const void *name)
{
    Arena *a = arena_new();
    const Target *t = target_load(a, name);
    fprintf(stderr, "loaded %s\n", t->name);
    arena_free(a);
}

static void expect(const char *name, int code, const char *want)
{
    const Said s = said(load, name);
    ASSERT_STR(want, s.text);
    ASSERT_INT(code, s.code);
}

#define LIST "t4 a100 rtx-3050 rtx-3090 rtx-4090 h100 h200 rtx-5090 tiny-gpu cpu"

int main(void)
{
    expect("h200", 0, "loaded h200\n");
    expect("cpu", 0, "loaded cpu\n");
    expect("sm_75", 0,
           "note: sm_75 is taken as t4 (Tesla T4, 40 SMs); for another card: --target FILE.json\nloaded t4\n");
    expect("sm_80", 0,
           "note: sm_80 is taken as a100 (NVIDIA A100-SXM4-40GB, 108 SMs); for another card: --target FILE.json\n"
           "loaded a100\n");
    expect("sm_86", 0,
           "note: sm_86 is taken as rtx-3050 (NVIDIA GeForce RTX 3050, 20 SMs); for another card: --target rtx-3090, "
           "--target FILE.json\nloaded rtx-3050\n");
    expect("sm_89", 0,
           "note: sm_89 is taken as rtx-4090 (NVIDIA GeForce RTX 4090, 128 SMs); for another card: --target FILE.json\n"
           "loaded rtx-4090\n");
    expect("sm_90", 0,
           "note: sm_90 is taken as h100 (NVIDIA H100 80GB HBM3, 132 SMs); for another card: --target h200, "
           "--target FILE.json\nloaded h100\n");
    expect(
        "sm_120", 0,
        "note: sm_120 is taken as rtx-5090 (NVIDIA GeForce RTX 5090, 170 SMs); for another card: --target FILE.json\n"
        "loaded rtx-5090\n");
    expect("sm_87", 3,
           "llmc: error: sm_87 has no reference card here: write the card's facts to a file and give --target "
           "FILE.json; `llmc targets rtx-3050` shows the form [E0431]\n");
    expect("sm_70", 3,
           "llmc: error: unknown architecture \"sm_70\": sm_75 sm_80 sm_86 sm_89 sm_90 sm_120 have a reference card; "
           "targets are " LIST " [E0431]\n");
    expect("sm_86x", 3,
           "llmc: error: unknown architecture \"sm_86x\": sm_75 sm_80 sm_86 sm_89 sm_90 sm_120 have a reference card; "
           "targets are " LIST " [E0431]\n");
    expect("rtx3050", 3,
           "llmc: error: unknown target \"rtx3050\": did you mean rtx-3050; targets are " LIST
           ", sm_XX, native, or a FILE.json [E0431]\n");
    expect("mi300x", 3,
           "llmc: error: unknown target \"mi300x\"; targets are " LIST ", sm_XX, native, or a FILE.json [E0431]\n");
    expect("", 3, "llmc: error: unknown target \"\"; targets are " LIST ", sm_XX, native, or a FILE.json [E0431]\n");
    expect("nowhere/h200.json", 3, "nowhere/h200.json: error: cannot open: No such file or directory [E0300]\n");
    expect("native", 5,
           "llmc: error: --target native: the NVIDIA driver finds no GPU; name a target: " LIST " [E0500]\n");
    return test_failed;
}
