// package.c: a package whose bytes, sizes or numbers are not possible is refused with its own words, and never followed
// outside the file: thousands of random changes under valid digests either are refused or leave every row readable.
#include "../test.h"
#include "tiny_program.h"

#include "../../runtime/package_open.h"
#include "../../runtime/rows.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

// Opens bytes as a program; on success every row and norm is read once.
static RtStatus open_bytes(const unsigned char *bytes, size_t n, RtError *error)
{
    char path[64];
    const int fd = memfd_create("package", 0);
    ASSERT(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    Package p;
    const RtStatus status = package_open(&p, path, "tiny", error);
    close(fd);
    if (status != RT_OK)
        return status;
    Rows rows = { .package = &p, .streams = calloc(1, p.plan->weight_bytes + 1) };
    const RefWeights weights = rows_weights(&rows);
    uint32_t cols = 1;
    for (uint32_t m = 0; m < p.plan->matrices; ++m)
        cols = p.matrices[m].cols > cols ? p.matrices[m].cols : cols;
    for (uint32_t i = 0; i < p.plan->norms; ++i)
        cols = p.norms[i].cols > cols ? p.norms[i].cols : cols;
    float *out = malloc(cols * sizeof *out);
    for (uint32_t m = 0; m < p.plan->matrices; ++m)
        for (uint32_t row = 0; row < p.matrices[m].rows; row += 1 + p.matrices[m].rows / 4)
            weights.row(weights.context, (int)m, (int)p.matrices[m].layers - 1, (int)row, out);
    for (uint32_t i = 0; i < p.plan->norms; ++i)
        weights.norm(weights.context, (int)i, (int)p.norms[i].layers - 1, out);
    for (uint32_t context = 1; context <= p.plan->context; context += 1 + p.plan->context / 64)
        ASSERT(package_schedule(&p, context) != NULL);
    free(out);
    free((void *)rows.streams);
    package_close(&p);
    return RT_OK;
}

static RtStatus open_tiny(const TinyProgram *t, RtError *error)
{
    size_t n;
    unsigned char *bytes = tiny_package(t, 0, &n);
    const RtStatus status = open_bytes(bytes, n, error);
    free(bytes);
    return status;
}

static void test_good(void)
{
    TinyProgram t;
    RtError error = { 0 };
    tiny_defaults(&t);
    ASSERT_INT(RT_OK, open_tiny(&t, &error));
    ASSERT_STR("", error.text);
}

static void refused(const TinyProgram *t, const char *words)
{
    RtError error = { 0 };
    ASSERT_INT(RT_FAILED, open_tiny(t, &error));
    ASSERT_INT(ERR_PACKAGE, error.id);
    ASSERT_STR(words, error.text);
}

static void test_sections(void)
{
    TinyProgram t;
    tiny_defaults(&t);
    t.skip = PKG_WAVES;
    refused(&t, "tiny: the package has no section \"waves\"");
    t.skip = 0;
    t.twice = PKG_NORMS;
    refused(&t, "tiny: section \"norms\" stands twice in the package");
    t.twice = 0;
    t.version = 0;
    refused(&t, "tiny: the package has format version 0, this program's code reads version 6");
    t.version = PKG_VERSION;
    t.image.plan.matrices = 4;
    refused(&t, "tiny: section \"matrices\" has 1472 bytes, not 736");
}

typedef struct WrongNumber {
    size_t at, bytes;
    uint64_t value;
    const char *words; // behind "the package's tables are not possible: "
} WrongNumber;

// Offsets in TinyProgram.
#define PLAN(field) offsetof(TinyProgram, image.plan.field), sizeof((TinyProgram *)0)->image.plan.field
#define DOWN(field) offsetof(TinyProgram, image.matrices[7].field), sizeof((TinyProgram *)0)->image.matrices[7].field
#define SECOND(field)                                                                                                  \
    offsetof(TinyProgram, image.schedules[1].field), sizeof((TinyProgram *)0)->image.schedules[1].field

static const WrongNumber wrong_numbers[] = {
    { PLAN(layers), 0, "layers is 0, not 1 to 1024" },
    { PLAN(kv_heads), 3, "kv_heads is 3, not 1 to 2" },
    { PLAN(model_context), 255, "context is 256, not 1 to 255" },
    { PLAN(eos_count), 33, "33 ids end a text, at most 32 may" },
    { PLAN(bos), 96, "bos is 96 of 96 ids" },
    { PLAN(device), 2, "device is 2, K/V format 0" },
    { PLAN(state_at), 49776, "state at 49776 behind 49792 bytes of weights" },
    { PLAN(kv_at), 19080, "K/V cache at 19080 of 51840 bytes of state" },
    { PLAN(logits_at), UINT64_MAX - 7, "logits at 18446744073709551608 of 51840 bytes of state" },
    { PLAN(selectable_at), 51832, "selectable ids at 51832 of 51840 bytes of state" },
    { PLAN(bias_at), 51464, "bias at 51464 of 51840 bytes of state" },
    { PLAN(history_at), 12, "history at 12 of 51840 bytes of state" },
    { PLAN(kv_bytes), 32767, "a K/V cache of 32767 bytes" },
    { DOWN(base), 39556, "model.layers.%d.mlp.down_proj.weight lies outside the weights" },
    { DOWN(layer_stride), UINT64_MAX, "model.layers.%d.mlp.down_proj.weight lies outside the weights" },
    { DOWN(rows), 33, "model.layers.%d.mlp.down_proj.weight: 33 x 64 in 2 slices, 2 layers" },
    { DOWN(layers), 1, "model.layers.%d.mlp.down_proj.weight: 32 x 64 in 2 slices, 1 layers" },
    { PLAN(tied_embedding), 0, "a weight of the model is not in them (roles eff)" },
    { SECOND(attend_lanes), 3, "schedule 1 attends with 3 lanes, chunks of 2, 16 streams, tiles of 32" },
    { SECOND(attend_lanes), 1, "schedule 1 attends with 1 lanes, chunks of 2, 16 streams, tiles of 32" },
    { SECOND(reduce_splits), 0, "schedule 1 has 1 parts, 0 splits, 64 threads" },
    { DOWN(first_slice), 6, "slices of model.layers.%d.mlp.down_proj.weight" },
    { DOWN(bytes), 5119, "model.layers.%d.mlp.down_proj.weight needs more than its 5119 bytes" },
    { DOWN(role), UINT32_MAX, "model.layers.%d.mlp.down_proj.weight has role 4294967295, format 1, layout 1" },
    { SECOND(ctx_min), 98, "schedule 1 is for contexts 98 to 256" },
    { SECOND(ctx_max), 255, "schedule 1 is for contexts 97 to 255" },
    { SECOND(workers), 65536, "schedule 1 has 65536 workers of 64 threads" },
    { SECOND(token_waves), 10, "schedule 1 repeats 3 of 6 waves, in all 10" },
    { SECOND(first_wave), 1, "waves of schedule 1" },
    { offsetof(TinyProgram, image.ints[4]), 4, 63,
      "slices of model.layers.%d.mlp.down_proj.weight do not cover its 64 columns" },
    { offsetof(TinyProgram, image.ints[3]), 4, 48, "slice 0 of model.layers.%d.mlp.down_proj.weight" },
    { offsetof(TinyProgram, image.norms[2].base), 8, 49668, "model.norm.weight lies outside the weights" },
    { offsetof(TinyProgram, tasks[2].worker), 4, 4, "task 2 of schedule 0 belongs to worker 4 of 4" },
    { offsetof(TinyProgram, waves[3].op), 4, 77, "wave 3" },
    { offsetof(TinyProgram, image.plan.name[60]), 4, 0x78787878, "a name has no end" },
};

static void test_numbers(void)
{
    for (size_t i = 0; i < sizeof wrong_numbers / sizeof *wrong_numbers; ++i) {
        TinyProgram t;
        char words[256];
        tiny_defaults(&t);
        memset(t.image.plan.name, i + 1 < sizeof wrong_numbers / sizeof *wrong_numbers ? 0 : 'x', 60);
        memcpy((unsigned char *)&t + wrong_numbers[i].at, &wrong_numbers[i].value, wrong_numbers[i].bytes);
        snprintf(words, sizeof words, "the package's tables are not possible: %s", wrong_numbers[i].words);
        refused(&t, words);
    }
}

// A table of sections that says something else, under a digest that is right again.
static void wrong_table(uint32_t section, size_t field, uint64_t value, const char *words)
{
    TinyProgram t;
    RtError error = { 0 };
    PkgFooter footer;
    PkgHeader header;
    size_t n;
    tiny_defaults(&t);
    unsigned char *bytes = tiny_package(&t, 0, &n);
    memcpy(&footer, bytes + n - sizeof footer, sizeof footer);
    memcpy(&header, bytes + footer.header_at, sizeof header);
    unsigned char *table = bytes + footer.header_at + sizeof header;
    memcpy(table + section * sizeof(PkgSection) + field, &value, field == offsetof(PkgSection, whole) ? 4 : 8);
    footer.digest = package_digest(bytes + footer.header_at, n - sizeof footer - footer.header_at);
    memcpy(bytes + n - sizeof footer, &footer, sizeof footer);
    ASSERT_INT(RT_FAILED, open_bytes(bytes, n, &error));
    ASSERT_STR(words, error.text);
    free(bytes);
}

static void test_table(void)
{
    wrong_table(2, offsetof(PkgSection, at), 1 << 30, "tiny: section \"norms\" lies outside the package");
    wrong_table(2, offsetof(PkgSection, at), 32, "tiny: section \"norms\" lies outside the package");
    wrong_table(2, offsetof(PkgSection, bytes), 1 << 30, "tiny: section \"norms\" lies outside the package");
    wrong_table(2, offsetof(PkgSection, bytes), UINT64_MAX, "tiny: section \"norms\" lies outside the package");
    wrong_table(2, offsetof(PkgSection, whole), 384, "tiny: section \"norms\" does not give the 384 bytes that it stands for");
    wrong_table(2, offsetof(PkgSection, whole), UINT32_MAX, "tiny: section \"norms\" says that it stands for 4294967295 bytes");
    wrong_table(2, offsetof(PkgSection, kind), 999, "tiny: the package has no section \"norms\"");
    wrong_table(0, offsetof(PkgSection, kind), 0, "tiny: the package has no section \"plan\"");
}

static void test_cut_and_flipped(void)
{
    TinyProgram t;
    RtError error;
    size_t n;
    tiny_defaults(&t);
    unsigned char *bytes = tiny_package(&t, 0, &n);
    for (size_t cut = 0; cut < n; cut += cut < 128 ? 1 : 61)
        ASSERT_INT(RT_FAILED, open_bytes(bytes, cut, &error));
    // Any bit of what a digest covers; the zeros between sections belong to none.
    int accepted = 0;
    for (size_t i = 0; i < n; i += 7) {
        bytes[i] ^= 0x10;
        accepted += open_bytes(bytes, n, &error) == RT_OK;
        bytes[i] ^= 0x10;
    }
    ASSERT(accepted < 60);
    ASSERT_INT(RT_OK, open_bytes(bytes, n, &error));
    bytes[0] ^= 1;
    ASSERT_INT(RT_FAILED, open_bytes(bytes, n, &error));
    ASSERT_INT(ERR_DIGEST, error.id);
    ASSERT_STR("tiny@0x0: section \"plan\" is damaged: digests differ", error.text);
    free(bytes);
}

static void test_random_numbers(void)
{
    TinyProgram good, t;
    RtError error;
    uint64_t random = 1;
    int accepted = 0;
    tiny_defaults(&good);
    for (int i = 0; i < 20000; ++i) {
        t = good;
        const int changes = 1 + i % 3;
        for (int c = 0; c < changes; ++c) {
            random = hash_mix(random + 0x9e3779b97f4a7c15ull);
            // Words of plan, tables and ints, which lie one after the other in the image.
            const size_t word = random % (sizeof t.image / 4);
            static const uint32_t values[] = {
                0, 1, 2, 8, 31, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0, 0x10000
            };
            const uint32_t value = random >> 60 < 10 ? values[random >> 60] : (uint32_t)(random >> 28);
            memcpy((unsigned char *)&t.image + word * 4, &value, 4);
        }
        if (t.image.plan.weight_bytes > 1 << 20)
            continue; // the test would have to allocate them
        accepted += open_tiny(&t, &error) == RT_OK;
    }
    ASSERT(accepted > 1000); // names, fingerprints and the like may change
}

static void test_names(void)
{
    ASSERT_STR("model.layers.12.mlp.weight", tensor_name("model.layers.%d.mlp.weight", 12).text);
    ASSERT_STR("model.norm.weight", tensor_name("model.norm.weight", 0).text);
    ASSERT_STR("a%sb%n7", tensor_name("a%sb%n%d", 7).text); // never a format
    ASSERT_STR("0", count_text(0).text);
    ASSERT_STR("3,141,592,064", count_text(3141592064).text);
    ASSERT_STR("18,446,744,073,709,551,615", count_text(UINT64_MAX).text);
}

int main(void)
{
    test_good();
    test_sections();
    test_numbers();
    test_table();
    test_cut_and_flipped();
    test_random_numbers();
    test_names();
    return test_failed;
}
