// kernels.c: the probe's kernels on the CPU shim, without a load: rounds are counted, packets arrive whole, launch after launch
// with the tags of no other launch, and a worker that is missing is seen.
#include "../../compiler/probe/gpu.h"
#include "../../runtime/rt_error.h"
#include "../said.h"
#include "../test.h"

enum { WORKERS = 3, ROUNDS = 4, WORDS = 2 * PROBE_TILE };

static const struct {
    const char *name;
    uint64_t how;
} kinds[] = { { "barrier", 0 }, { "exchange", 37 }, { "exchange of fewer packets than workers", 2 }, { "hop", 1 << 16 | 1 } };

static Device *open_device(Arena *a)
{
    const Source s = probe_source(a);
    const BuildOptions o = { 0 };
    const Artifact art = build_any(a, &s, target_load(a, "cpu"), &o);
    Device *d = NULL;
    RtError error = { 0 };
    if (device_simt.open(0, &d, &error) != RT_OK || device_simt.load(d, art.image, art.bytes, &error) != RT_OK)
        printf("%s\n", error.text);
    return d;
}

static uint64_t taken(Device *d, size_t bytes)
{
    uint64_t at = 0;
    RtError error = { 0 };
    ASSERT(device_simt.alloc(d, bytes, &at, &error) == RT_OK);
    return at;
}

static ProbeState launched(Device *d, const char *entry, int threads, uint64_t state, uint32_t tag, const uint64_t *args, int n)
{
    ProbeState s = { .tag = tag };
    RtError error = { 0 };
    ASSERT(device_simt.upload(d, state, &s, sizeof s, &error) == RT_OK);
    if (device_simt.launch(d, entry, WORKERS, threads, PROBE_FLAGS, true, args, n, &error) != RT_OK ||
        device_simt.wait(d, &error) != RT_OK || device_simt.download(d, &s, state, sizeof s, &error) != RT_OK) {
        printf("%s: %s\n", entry, error.text);
        test_failed = 1;
    }
    return s;
}

static void check_meetings(Device *d, uint64_t state, uint64_t packets)
{
    uint32_t tag = 0;
    for (int i = 0; i < 2 * ARRAY_LEN(kinds); ++i) {
        const uint64_t args[] = { state, packets, ROUNDS, kinds[i / 2].how, packets, 0 };
        const ProbeState s = launched(d, "probe_meet", PROBE_MEETING, state, tag, args, 6);
        if (s.fault || s.wrong || s.arrived != (i / 2 ? 0 : ROUNDS * WORKERS)) {
            printf("%s, launch %d: arrived %u, fault %u, wrong %u\n", kinds[i / 2].name, i % 2, s.arrived, s.fault, s.wrong);
            test_failed = 1;
        }
        tag += ROUNDS;
    }
}

// The chain of loads goes on where the last launch ended, and comes by every line once.
static void check_chase(Device *d, uint64_t state, uint64_t data, uint64_t place)
{
    enum { LINES = 64 };
    char seen[LINES] = { 0 };
    RtError error = { 0 };
    const uint64_t args[] = { data, LINES - 1, 1, 0, place, state };
    for (int i = 0; i < LINES; ++i) {
        uint32_t at = LINES;
        launched(d, "probe_chase", 32, state, 0, args, 6);
        ASSERT(device_simt.download(d, &at, place, sizeof at, &error) == RT_OK && at < LINES);
        if (at < LINES)
            seen[at] = 1;
    }
    for (int i = 0; i < LINES; ++i)
        ASSERT(seen[i]);
}

static void check_data(Device *d, uint64_t state, uint64_t data)
{
    const uint64_t fill[] = { data, WORDS }, read[] = { data, WORDS, 2, state };
    static uint32_t words[WORDS * 4];
    uint32_t different = 0;
    RtError error = { 0 };
    launched(d, "probe_fill", PROBE_THREADS, state, 0, fill, 2);
    ASSERT(device_simt.download(d, words, data, sizeof words, &error) == RT_OK);
    for (int i = 1; i < WORDS; ++i)
        different += words[4 * i] != words[4 * i - 4];
    ASSERT(different > WORDS - 10);
    launched(d, "probe_read", PROBE_THREADS, state, 0, read, 4); // UBSan and the shim see what it reads
}

static void miss_worker(const void *with)
{
    Arena *a = arena_new();
    Device *d = open_device(a);
    RtError error = { 0 };
    ProbeState s = { 0 };
    const uint64_t state = taken(d, sizeof s), packets = taken(d, 2 * PROBE_PACKETS * 16);
    const uint64_t args[] = { state, packets, ROUNDS, *(const uint64_t *)with, packets, 0 };
    s.arrived = (uint32_t)-1; // one too few
    if (!*(const uint64_t *)with)
        ASSERT(device_simt.upload(d, state, &s, sizeof s, &error) == RT_OK);
    const RtStatus status = device_simt.launch(d, "probe_meet", WORKERS, PROBE_MEETING, PROBE_FLAGS, true, args, 6, &error);
    fprintf(stderr, "%s", status == RT_OK ? "nobody was missed" : error.text);
    device_simt.close(d);
    arena_free(a);
}

int main(void)
{
    Arena *a = arena_new();
    Device *d = open_device(a);
    if (!d)
        return 1;
    const uint64_t state = taken(d, sizeof(ProbeState)), packets = taken(d, 2 * PROBE_PACKETS * 16);
    const uint64_t data = taken(d, (size_t)WORDS * 16), place = taken(d, 16);
    check_meetings(d, state, packets);
    check_chase(d, state, data, place);
    check_data(d, state, data);
    device_simt.close(d);
    arena_free(a);
    const Said s = said(miss_worker, &kinds[0].how);
    if (!strstr(s.text, "load_acquire")) {
        printf("a barrier with an arrival too few: %s\n", s.text);
        test_failed = 1;
    }
    return test_failed;
}
