// cards.c: every card of the table loads, is sound, and survives plan.json.
#include "../../compiler/base/embedded.h"
#include "../../compiler/target/target.h"
#include "../test.h"

static void check_card(Arena *a, const char *name)
{
    const Target *t = target_load(a, name);
    ASSERT_STR(name, t->name);
    ASSERT(t->sms >= 4 && t->dram_gbs > 0 && t->barrier_us > 0);
    for (int i = 0; i < TARGET_FACTS; ++i)
        ASSERT(t->source[i] && *t->source[i] && t->from[i] != FACT_PLAN);
    // A figure nobody measured must not pass for one.
    for (int i = 0; i < TARGET_FACTS; ++i)
        ASSERT(!(t->from[i] == FACT_MEASURED && strstr(t->source[i], "not measured")));
    ASSERT(t->dram_gbs_measured == (t->from[target_fact("dram_gbs")] == FACT_MEASURED));
    ASSERT(t->barrier_us_measured == (t->from[target_fact("barrier_us")] == FACT_MEASURED));
    // One worker fits on a multiprocessor with at least 64 registers a thread.
    ASSERT(t->regs_per_sm / t->worker_threads >= 64);
}

static void check_round_trip(Arena *a, const char *name)
{
    Str once = str_new(a), twice = str_new(a);
    const Target *t = target_load(a, name);
    target_write_json(t, &once);
    ASSERT(strchr(once.text, '\n') == NULL);
    const Json section = json_parse(a, "plan.json", once.text, once.bytes, -1);
    const Target *back = target_read_json(a, section);
    target_write_json(back, &twice);
    ASSERT_STR(once.text, twice.text);
    ASSERT(back->sm == t->sm && back->dram_bytes == t->dram_bytes && back->kind == t->kind);
    ASSERT(back->dram_gbs_measured == t->dram_gbs_measured && back->from[0] == FACT_PLAN);
}

// A card's text written again is the same card, the facts that need not be known included.
static void check_file(Arena *a, const char *name)
{
    Str once = str_new(a), twice = str_new(a);
    const Target *t = target_load(a, name);
    target_write_file(t, &once);
    const Target *back = target_parse(a, name, once.text, once.bytes);
    target_write_file(back, &twice);
    ASSERT_STR(once.text, twice.text);
    for (int i = 0; i < TARGET_EXTRAS; ++i) {
        ASSERT((t->extra_source[i] != NULL) == (back->extra_source[i] != NULL));
        ASSERT(!t->extra_source[i] || !strstr(t->extra_source[i], "not measured") || t->extra_from[i] != FACT_MEASURED);
    }
    ASSERT(back->rate_by_sms.n == t->rate_by_sms.n && back->from[0] == t->from[0]);
}

static void check_curve(Arena *a)
{
    const Target *t = target_load(a, "rtx-3050");
    const Curve *c = &t->rate_by_sms, one = { .n = 1, .x = { 5 }, .y = { 7 } };
    ASSERT_INT(3, c->n);
    const double want[][2] = { { 0, 30 }, { 1, 30 }, { 4.5, 116 }, { 8, 202 }, { 14, 207.45 }, { 20, 212.9 }, { 99, 212.9 } };
    for (int i = 0; i < 7; ++i)
        ASSERT(fabs(target_curve(c, want[i][0]) - want[i][1]) < 1e-9);
    ASSERT(target_curve(&one, 1) == 7 && target_curve(&one, 9) == 7);
    ASSERT(target_load(a, "t4")->launch_us == 0 && target_load(a, "t4")->hop_by_kib.n == 0);
}

static void check_table(void)
{
    int n, embedded = 0;
    const char *const *names = target_names(&n);
    while (embedded_name("compiler/target/gpus/", embedded))
        ++embedded;
    ASSERT_INT(embedded, n);
    for (int i = 0; i < n; ++i)
        ASSERT(target_text(names[i]) != NULL);
    ASSERT(target_text("rtx-1") == NULL);
}

static void check_texts(Arena *a)
{
    Str json = str_new(a), text = str_new(a);
    const Target *t = target_load(a, "rtx-3050");
    target_write_json(t, &json);
    ASSERT_STR(
        "{\"name\": \"rtx-3050\", \"gpu\": \"NVIDIA GeForce RTX 3050\", \"kind\": \"cuda\", \"sm\": 86, \"sms\": 20, "
        "\"worker_threads\": 1024, \"smem_block_bytes\": 101376, \"regs_per_sm\": 65536, \"l2_bytes\": 1572864, "
        "\"dram_bytes\": 8589934592, \"dram_gbs\": 212.9, \"barrier_us\": 1, \"dram_gbs_measured\": true, "
        "\"barrier_us_measured\": true}",
        json.text);
    target_print(t, &text);
    ASSERT(str_starts(text.text,
                      "rtx-3050: NVIDIA GeForce RTX 3050\n"
                      "  sm                             86  data sheet  CUDA GPU compute capability list\n"));
    ASSERT(strstr(text.text, "\n  dram_bytes          8,589,934,592  data sheet  ") != NULL);
    ASSERT(strstr(text.text, "\n  dram_gbs                    212.9  measured    TileInfer, section 3: ") != NULL);
}

int main(void)
{
    Arena *a = arena_new();
    int n;
    const char *const *names = target_names(&n);
    check_table();
    for (int i = 0; i < n; ++i) {
        check_card(a, names[i]);
        check_round_trip(a, names[i]);
        check_file(a, names[i]);
    }
    check_curve(a);
    check_texts(a);
    arena_free(a);
    return test_failed;
}
