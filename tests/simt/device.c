// device.c: a text compiled by build_cpu, run through the CPU's Device, and the words of everything that can go wrong.
// The compiler is $CXX, or the first that build_cpu finds.
#include "../../compiler/build/build.h"
#include "../../runtime/device.h"
#include "../said.h"
#include "../test.h"

#include <sys/resource.h>

enum { LINES = 16 };

static const char add_text[] =
    "// Generated.\n"
    "extern \"C\" __global__ void __launch_bounds__(64, 1)\n"
    "add(const unsigned* __restrict__ a, unsigned* to, unsigned long long plus)\n"
    "{\n"
    "    SHARED_ARENA(arena);\n"
    "    ((unsigned*)arena)[63 - threadIdx.x] = a[threadIdx.x];\n"
    "    __syncthreads();\n"
    "    to[blockIdx.x * 64 + threadIdx.x] = ((unsigned*)arena)[threadIdx.x] + (unsigned)plus;\n"
    "}\n";

// The text with the lines of a template: the first is the skeleton's, the others "templates/part.cu" from line 20 on.
static Source source_of(Arena *a, const char *text)
{
    const char **files = arena_alloc(a, sizeof *files * LINES);
    int *lines = arena_alloc(a, sizeof *lines * LINES);
    int n = 0;
    for (const char *s = text; *s; ++s)
        n += *s == '\n';
    for (int i = 0; i < n && i < LINES; ++i) {
        files[i] = i ? "templates/part.cu" : "templates/decode.cu";
        lines[i] = i ? 19 + i : 1;
    }
    return (Source){ .text = text, .bytes = strlen(text), .from_file = files, .from_line = lines, .lines = n };
}

static Artifact build(Arena *a, const char *text)
{
    const Source s = source_of(a, text);
    const BuildOptions o = { 0 };
    return build_any(a, &s, target_load(a, "cpu"), &o);
}

static bool holds(const Artifact *art, const char *word)
{
    return memmem(art->image, art->bytes, word, strlen(word)) != NULL;
}

static Device *opened(const Artifact *art)
{
    Device *d = NULL;
    RtError error = { 0 };
    ASSERT(device_simt.open(0, &d, &error) == RT_OK);
    ASSERT(device_simt.load(d, art->image, art->bytes, &error) == RT_OK);
    ASSERT_STR("", error.text);
    return d;
}

static void check_add(Device *d, const char *entry, uint32_t plus, uint32_t want)
{
    RtError error = { 0 };
    uint64_t from = 0, to = 0;
    uint32_t in[64], out[192];
    for (uint32_t i = 0; i < 64; ++i)
        in[i] = i * i;
    ASSERT(device_simt.alloc(d, sizeof in, &from, &error) == RT_OK &&
           device_simt.alloc(d, sizeof out, &to, &error) == RT_OK);
    ASSERT(device_simt.upload(d, from, in, sizeof in, &error) == RT_OK);
    const uint64_t args[] = { from, to, plus };
    ASSERT(device_simt.launch(d, entry, 3, 64, 256, true, args, 3, &error) == RT_OK);
    bool busy = true;
    ASSERT(device_simt.poll(d, &busy, &error) == RT_OK && !busy && device_simt.wait(d, &error) == RT_OK);
    ASSERT(device_simt.download(d, out, to, sizeof out, &error) == RT_OK);
    for (uint32_t i = 0; i < 192; ++i)
        ASSERT_INT((63 - i % 64) * (63 - i % 64) + want, out[i]);
}

// The artifact: a shared object that needs libc and libm alone, the same bytes each time.
static void check_artifact(const Artifact *art)
{
    Arena *a = arena_new();
    const Artifact again = build(a, add_text);
    ASSERT_INT(art->bytes, again.bytes);
    ASSERT(art->bytes == again.bytes && memcmp(art->image, again.image, art->bytes) == 0);
    ASSERT(!holds(art, "libstdc++") && !holds(art, "libgcc_s") && holds(art, "libc.so.6"));
    ASSERT(holds(art, "templates/part.cu") && !holds(art, "/llmc-")); // reports name templates; no temporary path stays
    ASSERT(strstr(art->tool, "++ ") && art->tool[strlen(art->tool) - 1] >= '0' &&
           art->tool[strlen(art->tool) - 1] <= '9');
    ASSERT_STR("", art->log);
    arena_free(a);
}

// Two programs in one process, of different texts with the same names.
static void check_two(const Artifact *first)
{
    Arena *a = arena_new();
    Str other = str_new(a);
    str_add(&other, "%s", add_text);
    char *plus = strstr(other.text, "+ (unsigned)plus");
    memcpy(plus, "- ", 2);
    const Artifact second = build(a, other.text);
    Device *one = opened(first), *two = opened(&second);
    check_add(one, "add", 5, 5);
    check_add(two, "add", 5, (uint32_t)-5);
    check_add(one, "add", 1000, 1000);
    device_simt.close(one);
    check_add(two, "add", 1, (uint32_t)-1);
    device_simt.close(two);
    arena_free(a);
}

static void check_info(void)
{
    RtError error = { 0 };
    Device *d = NULL;
    DeviceInfo info;
    int n = 0;
    ASSERT(device_simt.count(&n, &error) == RT_OK);
    ASSERT_INT(1, n);
    ASSERT(device_simt.open(1, &d, &error) == RT_FAILED);
    ASSERT_INT(ERR_DEVICE_UNKNOWN, error.id);
    ASSERT_STR("there is no CPU 1: the machine is device 0", error.text);
    ASSERT(device_simt.open(0, &d, &error) == RT_OK && device_simt.info(d, &info, &error) == RT_OK);
    ASSERT(info.name[0] && info.sm == 0 && info.sms >= 4 && info.free_bytes > 0 && info.total_bytes >= info.free_bytes);
    void *host = NULL;
    uint64_t address = 0;
    ASSERT(device_simt.map(d, 100, &host, &address, &error) == RT_OK);
    ASSERT(host == (void *)(uintptr_t)address && ((char *)host)[99] == 0);
    ASSERT(device_simt.alloc(d, (size_t)1 << 60, &address, &error) == RT_FAILED);
    ASSERT_INT(ERR_DEVICE_MEMORY, error.id);
    ASSERT(strstr(error.text, "needs 1,152,921,504,606,846,976 bytes of memory, "));
    device_simt.close(d);
}

static void check_refusals(const Artifact *art)
{
    RtError error = { 0 };
    Device *d = NULL;
    int blocks = 0;
    ASSERT(device_simt.open(0, &d, &error) == RT_OK);
    ASSERT(device_simt.occupancy(d, "add", 64, 0, &blocks, &error) == RT_FAILED);
    ASSERT(device_simt.load(d, "no shared object", 16, &error) == RT_FAILED);
    ASSERT_INT(ERR_DEVICE_DRIVER, error.id);
    ASSERT(strstr(error.text, "cannot load the program's code: "));
    device_simt.close(d);
    d = opened(art);
    ASSERT(device_simt.load(d, art->image, art->bytes, &error) == RT_FAILED);
    ASSERT_INT(ERR_INTERNAL, error.id);
    ASSERT(device_simt.launch(d, "subtract", 1, 64, 0, true, NULL, 0, &error) == RT_FAILED);
    ASSERT_STR("the program's code has no kernel \"subtract\"", error.text);
    ASSERT(device_simt.occupancy(d, "add", 64, 256, &blocks, &error) == RT_OK && blocks == 1);
    ASSERT(device_simt.occupancy(d, "add", 2048, 256, &blocks, &error) == RT_OK && blocks == 0);
    device_simt.close(d);
}

// ---- what ends the process ------------------------------------------------------------------------------------------

static void run_broken_text(const void *with)
{
    build(arena_new(), with);
}

static void run_without_compiler(const void *with)
{
    setenv("PATH", "/nowhere", 1);
    if (with)
        setenv("CXX", with, 1);
    else
        unsetenv("CXX");
    build(arena_new(), add_text);
}

static void run_dry(const void *with)
{
    (void)with;
    Arena *a = arena_new();
    const Source s = source_of(a, add_text);
    const BuildOptions o = { .dry_run = true, .save_temps = "/nowhere/temps" };
    const Artifact art = build_cpu(a, &s, target_load(a, "cpu"), &o);
    if (art.image)
        exit(1);
    arena_free(a);
}

static void run_deadlock(const void *art)
{
    Device *d = opened(art);
    RtError error;
    uint64_t at = 0;
    device_simt.alloc(d, 64, &at, &error);
    const uint64_t args[] = { at, at };
    device_simt.launch(d, "add", 2, 64, 0, true, args, 2, &error);
}

static void check_deadlock(void)
{
    Arena *a = arena_new();
    const Artifact art = build(a, "// Generated.\n"
                                  "extern \"C\" __global__ void add(unsigned* a, unsigned* to)\n"
                                  "{\n"
                                  "    if (threadIdx.x < 32)\n"
                                  "        __syncthreads();\n"
                                  "    else\n"
                                  "        while (load_acquire(a) == 0) {\n"
                                  "        }\n"
                                  "}\n");
    const Said s = said(run_deadlock, &art);
    ASSERT_INT(8, s.code);
    ASSERT(strstr(s.text, "simt: deadlock") &&
           strstr(s.text, "threads 0..31 at templates/part.cu:23 in __syncthreads"));
    ASSERT(strstr(s.text, "threads 32..63 at templates/part.cu:25 in load_acquire"));
    arena_free(a);
}

static void run_without_room(const void *art)
{
    Device *d = opened(art);
    RtError error;
    uint64_t at = 0;
    device_simt.alloc(d, 64, &at, &error);
    const uint64_t args[] = { at, at, 0 };
    setrlimit(RLIMIT_AS, &(struct rlimit){ 512 << 20, RLIM_INFINITY });
    device_simt.launch(d, "add", 1024, 64, 256, true, args, 3, &error); // stacks of 4 GiB
}

static void check_room(const Artifact *art)
{
    const Said s = said(run_without_room, art);
    ASSERT_INT(6, s.code);
    ASSERT_STR("simt: no memory for 4096 MiB of stacks [E0600]\n", s.text);
}

static void check_ends(void)
{
    Said s = said(run_broken_text, "// Generated.\n__device__ int f()\n{\n    return ww;\n}\n");
    ASSERT_INT(4, s.code);
    ASSERT(strstr(s.text, "templates/part.cu:22") && strstr(s.text, "ww"));
    ASSERT(strstr(s.text, "cannot compile the rendered text [E1001]"));
    s = said(run_broken_text, "// Generated.\nint missing(int);\nextern \"C\" __global__ void k() { missing(1); }\n");
    ASSERT_INT(4, s.code); // nothing may be left to find at run time
    s = said(run_broken_text, "// Generated.\nextern \"C\" __global__ void k(float* x) { x[0] = expf(x[0]); }\n");
    ASSERT_INT(4, s.code); // libm's last bit is not the GPU's
    s = said(run_without_compiler, NULL);
    ASSERT_INT(4, s.code);
    ASSERT_STR(
        "llmc: error: no C++ compiler: neither g++ nor clang++ is in PATH, and CXX names none; Debian and Ubuntu: apt "
        "install g++ [E1000]\n",
        s.text);
    s = said(run_without_compiler, "cobol++ -O3");
    ASSERT_INT(4, s.code);
    ASSERT_STR("llmc: error: CXX names cobol++: there is no such program [E1000]\n", s.text);
    s = said(run_dry, NULL);
    ASSERT_INT(0, s.code);
    ASSERT(
        strstr(s.text, " -include /nowhere/temps/simt.h -o /nowhere/temps/decode.so -x c++ /nowhere/temps/decode.cu "));
}

int main(void)
{
    Arena *a = arena_new();
    const Artifact art = build(a, add_text);
    check_artifact(&art);
    check_two(&art);
    check_info();
    check_refusals(&art);
    check_room(&art);
    check_ends();
    check_deadlock();
    arena_free(a);
    return test_failed;
}
