// measures.c: a GPU whose times are known by a formula is measured to be so; what goes wrong there is named.
// measures FILE: also writes the target there.
#include "../../compiler/base/file.h"
#include "../../compiler/probe/probe.h"
#include "../said.h"
#include "../test.h"

#include <dlfcn.h>

static const Artifact image = { .image = "an image", .bytes = 8 };

static Target *measure(Arena *a, int device)
{
    ProbeOptions o = { .device = device };
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *now = driver ? dlsym(driver, "stand_in_now") : NULL;
    ASSERT(now != NULL);
    memcpy(&o.now, &now, sizeof o.now);
    Target *t = probe_target(a, device);
    probe_measure(a, t, &image, &o);
    return t;
}

static void check_near(double want, double got, const char *what)
{
    if (fabs(got - want) <= 0.01 * want)
        return;
    printf("%s is %g, wanted %g\n", what, got, want);
    test_failed = 1;
}

static void check_curve(const Curve *c, double first, double slope, const char *what)
{
    ASSERT(c->n >= 5 && c->x[0] == 0);
    for (int i = 0; i < c->n; ++i)
        check_near(first + slope * c->x[i], c->y[i], what);
}

static void check_figures(const Target *t)
{
    ASSERT(t->rate_by_sms.n >= 6);
    for (int i = 0; i < t->rate_by_sms.n; ++i) {
        const double alone = 30 * t->rate_by_sms.x[i];
        check_near(alone < 212.9 ? alone : 212.9, t->rate_by_sms.y[i], "the rate");
    }
    ASSERT(t->rate_by_sms.x[0] == 1 && t->rate_by_sms.x[t->rate_by_sms.n - 1] == 20);
    check_near(212.9, t->dram_gbs, "dram_gbs");
    check_near(1.0, t->barrier_us, "barrier_us");
    check_near(600, t->dram_latency_ns, "dram_latency_ns");
    check_near(5.0, t->launch_us, "launch_us");
    check_curve(&t->barrier_by_kib, 1.0, 0.0625, "the barrier");
    check_curve(&t->hop_by_kib, 0.5, 0.0625, "the hop");
}

// What was measured is marked so, with the probe's version and the driver's, and a file of it reads back.
static void check_file(Arena *a, const Target *t, const char *path)
{
    Str once = str_new(a), twice = str_new(a);
    target_write_file(t, &once);
    const Target *back = target_parse(a, "probe.json", once.text, once.bytes);
    target_write_file(back, &twice);
    ASSERT_STR(once.text, twice.text);
    const char *const measured[] = { "dram_gbs", "barrier_us" };
    for (int i = 0; i < ARRAY_LEN(measured); ++i)
        ASSERT(back->from[target_fact(measured[i])] == FACT_MEASURED);
    ASSERT(back->from[target_fact("l2_bytes")] == FACT_DRIVER);
    ASSERT(back->from[target_fact("worker_threads")] == FACT_CHOSEN);
    for (int i = 0; i < TARGET_EXTRAS; ++i)
        ASSERT(back->extra_source[i] && back->extra_from[i] == FACT_MEASURED &&
               strstr(back->extra_source[i], " probe 1, ") && strstr(back->extra_source[i], "CUDA 13.0: "));
    if (path)
        file_write_text(a, path, once.text, once.bytes);
}

static void run(const void *with)
{
    Arena *a = arena_new();
    setenv("STAND_IN", with, 1);
    const Target *t = measure(a, 0);
    check_figures(t);
    fprintf(stderr, "exchange: %d points\n", t->exchange_by_kib.n);
    arena_free(a);
    exit(test_failed);
}

static void run_absent(const void *with)
{
    Arena *a = arena_new();
    measure(a, *(const int *)with);
    arena_free(a);
}

static void expect(const char *wish, int code, const char *holds)
{
    const Said s = said(run, wish);
    ASSERT_INT(code, s.code);
    if (!strstr(s.text, holds)) {
        printf("%s: wanted \"%s\", got\n%s\n", wish, holds, s.text);
        test_failed = 1;
    }
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    const Target *t = measure(a, 0);
    check_figures(t);
    check_curve(&t->exchange_by_kib, 0.75, 0.0625, "the exchange");
    check_file(a, t, argc > 1 ? argv[1] : NULL);
    expect("", 0, "exchange: 5 points");
    expect("late:7", 8, "error: a grid barrier, 20 workers: one of them waited too long in round 7 [E0802]");
    expect("wrong:3", 0, "3 packets of 16 bytes were not what was sent: exchange_by_kib is not known [-Wprobe]");
    expect("wrong:3", 0, "exchange: 0 points");
    expect("small", 6, "error: 4,194,304 bytes are free on the GPU: the probe needs 5,242,880 [E0601]");
    expect("none", 5, "error: probe: the NVIDIA driver finds no GPU [E0500]");
    const int absent = 2;
    const Said s = said(run_absent, &absent);
    ASSERT_INT(5, s.code);
    ASSERT(strstr(s.text, "error: --device is 2: the GPUs present are 0 to 1 [E0504]") != NULL);
    // Bulk copies keep more in flight: two points more, as far as shared memory goes.
    const Target *hopper = measure(a, 1);
    ASSERT_INT(90, hopper->sm);
    ASSERT_INT(6, hopper->barrier_by_kib.n);
    ASSERT(hopper->barrier_by_kib.x[5] == 96);
    arena_free(a);
    return test_failed;
}
