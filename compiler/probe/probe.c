// probe.c: measures the facts of a GPU that its driver does not tell, in the order in which they are printed.
#include "gpu.h"

#include "../base/embedded.h"
#include "../../runtime/package.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE_VERSION = 1, VECTOR_PACKETS = 512, BULK_SM = 90 };

Source probe_source(Arena *a)
{
    static const char name[] = "compiler/probe/probe.cu";
    const Bytes text = embedded_file(name);
    int lines = 0;
    if (!text.at)
        error_at(NOWHERE, ERR_INTERNAL, "%s is not part of this llmc", name);
    for (size_t i = 0; i < text.bytes; ++i)
        lines += text.at[i] == '\n';
    const char **files = arena_alloc(a, sizeof *files * (size_t)lines);
    int *numbers = arena_alloc(a, sizeof *numbers * (size_t)lines);
    for (int i = 0; i < lines; ++i) {
        files[i] = name;
        numbers[i] = i + 1;
    }
    return (Source){ (const char *)text.at, text.bytes, files, numbers, lines };
}

// The driver's own version, "580.159", as NVML tells it; the entry points are those of NVML's documentation.
static bool ask_nvml(char *version, unsigned bytes)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    int (*init)(void), (*ask)(char *, unsigned);
    void *found[] = { library ? dlsym(library, "nvmlInit_v2") : NULL,
                      library ? dlsym(library, "nvmlSystemGetDriverVersion") : NULL };
    memcpy(&init, &found[0], sizeof init);
    memcpy(&ask, &found[1], sizeof ask);
    return found[0] && found[1] && init() == 0 && ask(version, bytes) == 0;
}

// The same from the line that the kernel module shows, where NVML is not there; "": neither.
static const char *driver_version(Arena *a)
{
    char line[256] = "", version[96];
    if (ask_nvml(version, sizeof version))
        return str_format(a, "driver %s, ", version);
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    if (f && !fgets(line, sizeof line, f))
        *line = 0;
    if (f)
        fclose(f);
    for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n"))
        if (strchr(word, '.') && word[strspn(word, "0123456789.")] == 0)
            return str_format(a, "driver %s, ", word);
    return "";
}

// What stands before each source: who measured, through which driver.
static const char *by_whom(Gpu *g)
{
    DeviceInfo info = { 0 };
    RtError error;
    device_cuda.info(g->device, &info, &error);
    return str_format(g->a, "llmc %s probe %d, %sCUDA %d.%d", LLMC_VERSION_TEXT, PROBE_VERSION, driver_version(g->a),
                      info.driver / 1000, info.driver % 1000 / 10);
}

// Five digits are more than any of these figures is good for.
static double five_digits(double figure)
{
    char text[32];
    snprintf(text, sizeof text, "%.5g", figure);
    return strtod(text, NULL);
}

// ---- streaming --------------------------------------------------------------------------------------------------------

static Launch read_launch(const Gpu *g, int workers)
{
    const int64_t tiles = (int64_t)workers * PROBE_TILE, words = g->data_bytes / 16 / tiles * tiles;
    return (Launch){ .entry = "probe_read", .what = "streaming", .blocks = workers, .threads = PROBE_THREADS,
                     .args = { g->data, (uint64_t)words, 1, g->state }, .n_args = 4 };
}

// 10^9 bytes a second that `workers` multiprocessors draw.
static double read_gbs(Gpu *g, int workers, double *spread)
{
    Launch l = read_launch(g, workers);
    const double once = gpu_seconds(g, &l);
    l.args[2] = once < g->launch_seconds ? (uint64_t)(g->launch_seconds / once) + 1 : 1;
    return (double)(l.args[1] * 16 * l.args[2]) / (1e9 * gpu_median(g, &l, spread));
}

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

// Powers of two, where the curve bends on small cards, and eighths of all.
static int worker_counts(int sms, int *out)
{
    static const int powers[] = { 1, 2, 4, 8, 16 };
    int n = 0, unique = 0;
    for (int i = 0; i < ARRAY_LEN(powers); ++i)
        if (powers[i] < sms)
            out[n++] = powers[i];
    for (int i = 1; i <= 8; ++i)
        if (sms * i / 8)
            out[n++] = sms * i / 8;
    qsort(out, (size_t)n, sizeof *out, compare_ints);
    for (int i = 0; i < n; ++i)
        if (!unique || out[unique - 1] != out[i])
            out[unique++] = out[i];
    return unique;
}

static void warm_up(Gpu *g, double seconds)
{
    const Launch l = read_launch(g, g->t->sms);
    const double start = g->now();
    while (g->now() - start < seconds)
        gpu_seconds(g, &l);
}

static void measure_rate(Gpu *g, Target *t)
{
    int counts[TARGET_POINTS];
    double spread = 1;
    const int n = worker_counts(t->sms, counts);
    warm_up(g, 25 * g->launch_seconds); // half a second: the clocks are up then
    if (g->data_bytes < 8 * (int64_t)t->l2_bytes)
        warning_at(NOWHERE, "probe", "only %s bytes are free on the GPU, for an L2 of %s: rates will be too high",
                   str_count(g->a, 2 * g->data_bytes), str_count(g->a, t->l2_bytes));
    for (int i = 0; i < n; ++i) {
        const double gbs = five_digits(read_gbs(g, counts[i], &spread));
        t->rate_by_sms.x[t->rate_by_sms.n] = counts[i];
        t->rate_by_sms.y[t->rate_by_sms.n++] = gbs;
        t->dram_gbs = gbs > t->dram_gbs || !i ? gbs : t->dram_gbs;
        note("probe: %d of %d multiprocessors stream %.1f GB/s", counts[i], t->sms, gbs);
    }
    if (spread > 1.05)
        warning_at(NOWHERE, "probe", "the streaming rate of all multiprocessors moves by %.0f%%: is the GPU in use?",
                   100 * (spread - 1));
}

// Over the first 64 MB of the data, a quarter at most; the rest is read before, so that no cache holds them. No line is read
// twice: all launches together take less than `lines` steps.
static void measure_latency(Gpu *g, Target *t)
{
    enum { MOST_LINES = 1 << 19 };
    uint64_t lines = 1;
    while (lines < MOST_LINES && (int64_t)lines * 2 * 128 <= g->data_bytes / 4)
        lines *= 2;
    const int64_t tile = (int64_t)t->sms * PROBE_TILE, behind = g->data_bytes / 16 - (int64_t)lines * 8;
    Launch pass_by = read_launch(g, t->sms);
    pass_by.args[0] = g->data + lines * 128;
    pass_by.args[1] = (uint64_t)(behind / tile * tile);
    gpu_seconds(g, &pass_by);
    Launch chase = { .entry = "probe_chase", .what = "a chain of loads", .blocks = 1, .threads = 32,
                     .args = { g->data, lines - 1, 0, 0, g->packets, g->state }, .n_args = 6, .rounds = 2 };
    t->dram_latency_ns = five_digits(1e3 * gpu_round_us(g, &chase, (int)lines / 8));
    note("probe: a load from memory takes %.0f ns", t->dram_latency_ns);
}

// ---- meetings ---------------------------------------------------------------------------------------------------------

static void measure_launch(Gpu *g, Target *t)
{
    Launch l = { .entry = "probe_nothing", .what = "an empty launch", .blocks = t->sms, .threads = PROBE_MEETING,
                 .cooperative = true, .args = { g->state, 0 }, .n_args = 2 };
    gpu_seconds(g, &l);
    t->launch_us = five_digits(1e6 * gpu_median(g, &l, NULL));
    note("probe: a launch that does nothing takes %.1f us", t->launch_us);
}

// packets 0: the barrier.
typedef struct MeetKind {
    const char *name, *what;
    unsigned packets, rotate;
} MeetKind;

static Launch meet_launch(const Gpu *g, const MeetKind *k, int kib)
{
    const bool bulk = g->t->sm >= BULK_SM;
    const int64_t tile = PROBE_TILE, words = g->data_bytes / 16 / g->t->sms / tile * tile;
    Launch l = { .entry = "probe_meet", .what = k->what, .blocks = g->t->sms, .threads = PROBE_MEETING, .cooperative = true,
                 .args = { g->state, g->packets, 0, (uint64_t)kib << 32 | k->rotate << 16 | k->packets, g->data,
                           (uint64_t)words },
                 .n_args = 6, .rounds = 2, .smem_bytes = PROBE_FLAGS + (bulk ? kib * 1024 : 0) };
    if (kib)
        l.threads += bulk ? 32 : kib * 8;
    return l;
}

// One curve over the KiB in flight. False: the packets did not hold what was sent, there is no such fact.
static bool measure_meeting(Gpu *g, const MeetKind *k, Curve *c)
{
    static const int kibs[] = { 0, 16, 32, 48, 64, 96, 128 };
    enum { PLAIN_MOST = 64 };
    const Target *t = g->t;
    *c = (Curve){ 0 };
    for (int i = 0; i < ARRAY_LEN(kibs); ++i) {
        if (t->sm >= BULK_SM ? kibs[i] * 1024 > t->smem_block_bytes - PROBE_FLAGS : kibs[i] > PLAIN_MOST)
            continue;
        Launch l = meet_launch(g, k, kibs[i]);
        c->x[c->n] = kibs[i];
        c->y[c->n] = five_digits(gpu_round_us(g, &l, 1 << 20));
        if (g->last.wrong) {
            warning_at(NOWHERE, "probe", "%s: %u packets of 16 bytes were not what was sent: %s is not known", k->what,
                       g->last.wrong, k->name);
            *c = (Curve){ 0 };
            return false;
        }
        const double streamed = 1024.0 * g->last.streamed / (1e3 * c->y[c->n] * (double)l.args[2]);
        if (kibs[i])
            note("probe: %s: %.2f us, beside a load of %d KiB a multiprocessor and %.0f GB/s", k->what, c->y[c->n],
                 kibs[i], streamed);
        else
            note("probe: %s: %.2f us", k->what, c->y[c->n]);
        ++c->n;
    }
    return true;
}

// ---- the target -------------------------------------------------------------------------------------------------------

static void set_measured(Target *t, const char *name, const char *source)
{
    const int fact = target_fact(name), extra = target_extra(name);
    if (fact >= 0)
        target_set_source(t, fact, FACT_MEASURED, source);
    if (extra >= 0) {
        t->extra_from[extra] = FACT_MEASURED;
        t->extra_source[extra] = source;
    }
}

static void measure_meetings(Gpu *g, Target *t, const char *by)
{
    static const MeetKind barrier = { "barrier_by_kib", "a grid barrier", 0, 0 };
    static const MeetKind exchange = { "exchange_by_kib", "2,048 values from all to all in packets", VECTOR_PACKETS, 0 };
    static const MeetKind hop = { "hop_by_kib", "a packet from one to all others", 1, 1 };
    const char *load = t->sm >= BULK_SM ? "bulk copies of 8 KiB" : "16-byte loads of other threads, at most so many";
    Arena *a = g->a;
    const char *of = str_format(a, "%d workers of %d threads; load: %s", t->sms, PROBE_MEETING, load);
    measure_meeting(g, &barrier, &t->barrier_by_kib);
    t->barrier_us = t->barrier_by_kib.y[0];
    set_measured(t, "barrier_us", str_format(a, "%s: grid barrier of %d workers of %d threads, nobody late, no load", by,
                                             t->sms, PROBE_MEETING));
    set_measured(t, "barrier_by_kib", str_format(a, "%s: grid barrier, %s", by, of));
    if (measure_meeting(g, &exchange, &t->exchange_by_kib))
        set_measured(t, "exchange_by_kib", str_format(a, "%s: %d packets of 16 bytes from all to all, %s", by,
                                                      VECTOR_PACKETS, of));
    if (measure_meeting(g, &hop, &t->hop_by_kib))
        set_measured(t, "hop_by_kib", str_format(a, "%s: a packet of 16 bytes that the workers send in turn, %s", by, of));
}

Target *probe_target(Arena *a, int index)
{
    RtError error = { 0 };
    int n = 0;
    const char *why = NULL;
    if (device_cuda.count(&n, &error) != RT_OK)
        error_at(NOWHERE, error.id, "probe: %s", error.text);
    if (index >= n)
        error_at(NOWHERE, ERR_DEVICE_UNKNOWN, "--device is %d: the GPUs present are 0 to %d", index, n - 1);
    Target *t = target_device(a, index, &why);
    if (!t)
        error_at(NOWHERE, ERR_NO_DEVICE, "probe: %s", why);
    note("probe: device %d is %s, sm_%d, %d multiprocessors", index, t->gpu, t->sm, t->sms);
    return t;
}

void probe_measure(Arena *a, Target *t, const Artifact *art, const ProbeOptions *o)
{
    Gpu *g = gpu_open(a, t, art, o);
    const char *by = by_whom(g);
    for (int i = 0; i < TARGET_FACTS; ++i)
        if (t->from[i] == FACT_DRIVER)
            target_set_source(t, i, FACT_DRIVER, by);
    measure_rate(g, t);
    const char *how = str_format(a, "%s: %s bytes by 16-byte loads, 8 a thread in flight, %d threads a multiprocessor", by,
                                 str_count(a, g->data_bytes), PROBE_THREADS);
    set_measured(t, "rate_by_sms", how);
    set_measured(t, "dram_gbs", how);
    measure_latency(g, t);
    set_measured(t, "dram_latency_ns", str_format(a, "%s: a chain of loads of lines in no order, one thread", by));
    measure_launch(g, t);
    set_measured(t, "launch_us", str_format(a, "%s: cooperative, %d workers of %d threads, host clock", by, t->sms,
                                            PROBE_MEETING));
    measure_meetings(g, t, by);
    gpu_close(g);
}
