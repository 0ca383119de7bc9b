// library.c: the library's calls on the stand-in GPU: what is in the context after each, however the calls are cut.
#include "../test.h"
#include "tiny_program.h"

#include "../../runtime/rt_state.h"

enum { MOST = 300 };

typedef struct Ids {
    uint32_t at[MOST];
    int n, stop_after; // 0: never
} Ids;

static bool take(void *context, uint32_t id)
{
    Ids *ids = context;
    ids->at[ids->n++] = id;
    return ids->n != ids->stop_after;
}

static Rt *open_program(const char *path, int context, bool ignore_eos)
{
    Rt *rt;
    const RtOptions options = { .program = path, .weights = "random:7", .context = context, .ignore_eos = ignore_eos };
    if (rt_open(&rt, &options) != RT_OK) {
        printf("%s\n", rt_error(rt)->text);
        exit(1);
    }
    return rt;
}

static void same_ids(const Ids *want, int from, const Ids *got, const char *what)
{
    for (int i = 0; i < got->n; ++i)
        if (want->at[from + i] != got->at[i]) {
            printf("%s: id %d is %u, wanted %u\n", what, i, got->at[i], want->at[from + i]);
            test_failed = 1;
            return;
        }
}

static void test_cuts(Rt *rt)
{
    static const uint32_t prompt[] = { 65, 66, 67 };
    Ids whole = { .n = 0 }, parts = { .n = 0 };
    RtEnd end;
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt, 3));
    ASSERT_INT(3, rt_position(rt));
    ASSERT_INT(RT_OK, rt_decode(rt, 150, take, &whole, &end));
    ASSERT_INT(RT_END_COUNT, end);
    ASSERT_INT(150, whole.n);
    ASSERT_INT(152, rt_position(rt)); // the last id is not in the cache yet

    // The same in pieces, the prompt too.
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt, 1));
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt + 1, 2));
    for (int n = 0; parts.n < 150; n = (n + 7) % 11)
        ASSERT_INT(RT_OK, rt_decode(rt, n < 150 - parts.n ? n : 150 - parts.n, take, &parts, &end));
    same_ids(&whole, 0, &parts, "decode in pieces");
    ASSERT_INT(152, rt_position(rt));

    // A sink that stops in the middle of a launch, and a kernel that goes on: the next call goes on behind its last id.
    Ids stopped = { .stop_after = 20 }, rest = { .n = 0 };
    setenv("FAKE_CUDA_DEAF", "1", 1);
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt, 3));
    ASSERT_INT(RT_OK, rt_decode(rt, 150, take, &stopped, &end));
    ASSERT_INT(RT_END_SINK, end);
    ASSERT_INT(20, stopped.n);
    ASSERT_INT(22, rt_position(rt));
    unsetenv("FAKE_CUDA_DEAF");
    ASSERT_INT(RT_OK, rt_decode(rt, 100, take, &rest, &end));
    same_ids(&whole, 0, &stopped, "until the sink stops");
    same_ids(&whole, 20, &rest, "after the sink stopped");
}

// Text between answers: what was given out last comes first into the cache.
static void test_second_prompt(Rt *rt)
{
    static const uint32_t prompt[] = { 65, 66, 67 }, more[] = { 1, 2 };
    Ids answer = { .n = 0 }, with = { .n = 0 }, at_once = { .n = 0 };
    RtEnd end;
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt, 3));
    ASSERT_INT(RT_OK, rt_decode(rt, 4, take, &answer, &end));
    ASSERT_INT(RT_OK, rt_prefill(rt, more, 2));
    ASSERT_INT(9, rt_position(rt));
    ASSERT_INT(RT_OK, rt_decode(rt, 8, take, &with, &end));
    uint32_t all[9] = { 65, 66, 67 };
    memcpy(all + 3, answer.at, 4 * sizeof *all);
    memcpy(all + 7, more, 2 * sizeof *all);
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, all, 9));
    ASSERT_INT(RT_OK, rt_decode(rt, 8, take, &at_once, &end));
    same_ids(&at_once, 0, &with, "a second prompt");
}

// What was forgotten leaves nothing behind, wherever the context is cut; more positions than a launch has.
static void test_rewind(Rt *rt)
{
    uint32_t prompt[90];
    Ids want = { .n = 0 };
    RtEnd end;
    for (uint32_t i = 0; i < 90; ++i)
        prompt[i] = (i * 7 + 3) % TINY_VOCAB;
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt, 90));
    ASSERT_INT(RT_OK, rt_decode(rt, 20, take, &want, &end));
    static const int cuts[] = { 89, 64, 63, 1, 0 };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; ++i) {
        Ids got = { .n = 0 };
        rt_rewind(rt, cuts[i]);
        ASSERT_INT(RT_FAILED, rt_decode(rt, 1, take, &got, &end));
        ASSERT_STR("nothing to continue: no id was put in since the context was cut", rt_error(rt)->text);
        ASSERT_INT(RT_OK, rt_prefill(rt, prompt + cuts[i], 90 - cuts[i]));
        ASSERT_INT(RT_OK, rt_decode(rt, 20, take, &got, &end));
        ASSERT_INT(20, got.n);
        same_ids(&want, 0, &got, "after a rewind");
    }
}

// A conversation that is told again: what is the same stays, wherever the answers were cut.
static void test_keep(Rt *rt)
{
    static const uint32_t prompt[] = { 65, 66, 67 };
    Ids answer = { .n = 0 }, kept = { .n = 0 }, whole = { .n = 0 };
    RtEnd end;
    rt_reset(rt);
    ASSERT_INT(0, rt_keep(rt, prompt, 3));
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt, 3));
    ASSERT_INT(RT_OK, rt_decode(rt, 80, take, &answer, &end)); // two launches
    uint32_t all[90] = { 65, 66, 67 };
    memcpy(all + 3, answer.at, 80 * sizeof *all);
    all[83] = 7;
    ASSERT_INT(82, rt_keep(rt, all, 84)); // the last id given out is not in the cache
    ASSERT_INT(RT_OK, rt_prefill(rt, all + 82, 2));
    ASSERT_INT(RT_OK, rt_decode(rt, 8, take, &kept, &end));
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, all, 84));
    ASSERT_INT(RT_OK, rt_decode(rt, 8, take, &whole, &end));
    same_ids(&whole, 0, &kept, "behind what was kept");
    // Rewritten in the middle; the same again, of which the last id has to be run once more; nothing in common.
    all[40] ^= 1;
    ASSERT_INT(40, rt_keep(rt, all, 84));
    ASSERT_INT(40, rt_position(rt));
    ASSERT_INT(RT_OK, rt_prefill(rt, all + 40, 44));
    ASSERT_INT(83, rt_keep(rt, all, 84));
    ASSERT_INT(19, rt_keep(rt, all, 20));
    all[0] = 1;
    ASSERT_INT(0, rt_keep(rt, all, 20));
    ASSERT_INT(RT_FAILED, rt_decode(rt, 1, take, &kept, &end));
    ASSERT_INT(RT_OK, rt_fill_cache(rt, 10));
    ASSERT_INT(0, rt_keep(rt, prompt, 3));
}

static void test_logits(Rt *rt)
{
    static const uint32_t prompt[] = { 65, 66, 67 };
    Ids want = { .n = 0 };
    RtEnd end;
    float logits[TINY_VOCAB];
    uint8_t all[TINY_VOCAB / 8];
    memset(all, 0xff, sizeof all);
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt, 3));
    ASSERT_INT(RT_OK, rt_decode(rt, 10, take, &want, &end));
    uint32_t best = 0;
    rt_reset(rt);
    for (int i = 0; i < 3; ++i)
        ASSERT_INT(RT_OK, rt_logits(rt, prompt[i], logits, &best));
    for (int i = 0; i < 10; ++i) {
        ASSERT_INT(want.at[i], best);
        ASSERT_INT(best, fake_best(logits, TINY_VOCAB, all));
        ASSERT_INT(RT_OK, rt_logits(rt, best, logits, &best));
    }
    // From logits on with decode.
    Ids rest = { .n = 0 };
    ASSERT_INT(RT_OK, rt_decode(rt, 5, take, &rest, &end));
    ASSERT_INT(best, rest.at[0]);
}

static void test_refusals(Rt *rt)
{
    static const uint32_t bad[] = { 1, TINY_VOCAB };
    uint32_t many[TINY_CONTEXT] = { 0 };
    Ids ids = { .n = 0 };
    RtEnd end;
    rt_reset(rt);
    ASSERT_INT(RT_FAILED, rt_decode(rt, 1, take, &ids, &end));
    ASSERT_STR("nothing to continue: no id was put in since the context was cut", rt_error(rt)->text);
    ASSERT_INT(RT_FAILED, rt_prefill(rt, bad, 2));
    ASSERT_STR("id 96 at index 1: the model has ids below 96", rt_error(rt)->text);
    ASSERT_INT(RT_FAILED, rt_prefill(rt, bad, 0));
    ASSERT_INT(RT_OK, rt_prefill(rt, many, 50));
    ASSERT_INT(RT_FAILED, rt_prefill(rt, many, 51));
    ASSERT_INT(ERR_CONTEXT_FULL, rt_error(rt)->id);
    ASSERT_STR("51 tokens do not fit: the context holds 100, 50 are taken", rt_error(rt)->text);
    ASSERT_INT(50, rt_position(rt));
    ASSERT_INT(RT_OK, rt_decode(rt, 1000, take, &ids, &end));
    ASSERT_INT(RT_END_CONTEXT, end);
    ASSERT_INT(51, ids.n); // the one after position 49, and one for each of 50 more
    ASSERT_INT(100, rt_position(rt));
    ASSERT_INT(RT_OK, rt_decode(rt, 1, take, &ids, &end));
    ASSERT_INT(RT_END_CONTEXT, end);
    ASSERT_INT(51, ids.n);

    // The id given out last takes a place too, until the context is forgotten.
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, many, 50));
    ASSERT_INT(RT_OK, rt_decode(rt, 1, take, &ids, &end));
    ASSERT_INT(RT_FAILED, rt_prefill(rt, many, 50));
    ASSERT_STR("50 tokens do not fit: the context holds 100, 51 are taken", rt_error(rt)->text);
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, many, 100));
}

// Every value of the packed weights is the one it was packed from.
static void test_rows(const char *path, const TinyProgram *t)
{
    char weights[512];
    float packed[64], made[64];
    WeightsFile file;
    RtError error;
    Package p;
    snprintf(weights, sizeof weights, "%s.llmw", path);
    ASSERT_INT(0, tiny_write_weights(t, 42, weights));
    ASSERT_INT(RT_OK, package_open(&p, path, "tiny", &error));
    ASSERT_INT(RT_OK, weights_open(&file, weights, p.plan, "tiny", &error));
    Rows from_file = { .package = &p, .streams = file.streams }, from_seed = { .package = &p, .seed = 42 };
    const RefWeights a = rows_weights(&from_file), b = rows_weights(&from_seed);
    for (int m = 0; m < FAKE_MATRICES; ++m)
        for (int layer = 0; layer < (int)p.matrices[m].layers; ++layer)
            for (int row = 0; row < (int)p.matrices[m].rows; ++row) {
                a.row(a.context, m, layer, row, packed);
                b.row(b.context, m, layer, row, made);
                ASSERT(memcmp(packed, made, p.matrices[m].cols * sizeof *made) == 0);
            }
    for (int n = 0; n < FAKE_NORMS; ++n)
        for (int layer = 0; layer < (int)p.norms[n].layers; ++layer) {
            a.norm(a.context, n, layer, packed);
            b.norm(b.context, n, layer, made);
            ASSERT(memcmp(packed, made, p.norms[n].cols * sizeof *made) == 0);
        }
    weights_close(&file);
    package_close(&p);
}

static void test_eos(const char *path)
{
    static const uint32_t prompt[] = { 65, 66, 67 };
    Ids ids = { .n = 0 };
    RtEnd end;
    Rt *rt = open_program(path, 0, false);
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt, 3));
    ASSERT_INT(RT_OK, rt_decode(rt, 1000, take, &ids, &end));
    ASSERT_INT(RT_END_EOS, end);
    ASSERT_INT(TINY_EOS, ids.at[ids.n - 1]);
    rt_close(rt);
}

typedef struct Stopper {
    int asked;
} Stopper;

static bool stop_soon(void *context)
{
    Stopper *s = context;
    return ++s->asked == 5;
}

static void test_interrupt(Rt *rt)
{
    static const uint32_t prompt[] = { 65, 66, 67 };
    Stopper stopper = { 0 };
    Ids ids = { .n = 0 };
    RtEnd end;
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt, 3));
    rt->options.interrupted = stop_soon;
    rt->options.interrupted_context = &stopper;
    ASSERT_INT(RT_OK, rt_decode(rt, 60, take, &ids, &end));
    ASSERT_INT(RT_END_INTERRUPTED, end);
    ASSERT(ids.n > 3 && ids.n < 10);
    ASSERT_INT(3 + ids.n - 1, rt_position(rt));

    // In the middle of a prompt: what is in stays in, and the rest can follow.
    static const uint32_t more[] = { 65, 66, 67, 68, 69, 70, 71, 72, 73, 74 };
    Ids rest = { .n = 0 }, whole = { .n = 0 };
    stopper.asked = 0;
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, more, 10));
    const int in = rt_position(rt);
    ASSERT(in > 0 && in < 10);
    rt->options.interrupted = NULL;
    ASSERT_INT(RT_FAILED, rt_decode(rt, 1, take, &rest, &end));
    ASSERT_INT(RT_OK, rt_prefill(rt, more + in, 10 - in));
    ASSERT_INT(RT_OK, rt_decode(rt, 5, take, &rest, &end));
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_prefill(rt, more, 10));
    ASSERT_INT(RT_OK, rt_decode(rt, 5, take, &whole, &end));
    same_ids(&whole, 0, &rest, "after an interrupted prompt");
}

int main(int argc, char **argv)
{
    TinyProgram t;
    if (argc < 2)
        return 2;
    tiny_defaults(&t);
    if (tiny_write(&t, NULL, argv[1]))
        return 1;
    Rt *rt = open_program(argv[1], 0, true);
    test_cuts(rt);
    test_second_prompt(rt);
    test_rewind(rt);
    test_keep(rt);
    test_logits(rt);
    test_interrupt(rt);
    rt_close(rt);
    rt = open_program(argv[1], 100, true);
    test_refusals(rt);
    rt_close(rt);
    test_eos(argv[1]);
    test_rows(argv[1], &t);
    const RtOptions missing = { .program = "/no/such/file" };
    ASSERT_INT(RT_FAILED, rt_open(&rt, &missing));
    ASSERT_INT(ERR_FILE_MISSING, rt_error(rt)->id);
    ASSERT_STR("file: No such file or directory", rt_error(rt)->text);
    rt_close(rt);
    ASSERT_INT(ERR_MEMORY, rt_error(NULL)->id);
    return test_failed;
}
