// reference.c: the reference leaves the same bits however many threads it runs on; a team does every item once, and no two of
// its threads are the same member.
#include "../test.h"

#include "../../runtime/hash.h"
#include "../../runtime/reference/reference.h"
#include "../../runtime/reference/team.h"

// Large enough that every step is worth several threads.
enum { LAYERS = 2, HIDDEN = 256, HEADS = 4, KV_HEADS = 2, HEAD_DIM = 64, FFN = 1024, VOCAB = 600, FIRST = 400, N = 2 };

static const PkgMatrix matrices[] = {
    { .role = PKG_EMBED, .rows = VOCAB, .cols = HIDDEN },
    { .role = PKG_Q, .rows = HEADS * HEAD_DIM, .cols = HIDDEN },
    { .role = PKG_K, .rows = KV_HEADS * HEAD_DIM, .cols = HIDDEN },
    { .role = PKG_V, .rows = KV_HEADS * HEAD_DIM, .cols = HIDDEN },
    { .role = PKG_O, .rows = HIDDEN, .cols = HEADS * HEAD_DIM },
    { .role = PKG_GATE, .rows = FFN, .cols = HIDDEN },
    { .role = PKG_UP, .rows = FFN, .cols = HIDDEN },
    { .role = PKG_DOWN, .rows = HIDDEN, .cols = FFN, .slices = 3 },
};
static const PkgNorm norms[] = { { .role = PKG_NORM_ATTENTION }, { .role = PKG_NORM_FFN }, { .role = PKG_NORM_FINAL } };
static const uint32_t slices[] = { 0, 336, 680, FFN };
static const PkgSchedule schedule = { .ctx_max = FIRST + N,
                                      .threads = 64,
                                      .parts = 3,
                                      .attend_lanes = HEAD_DIM / 8,
                                      .attend_chunk = 2,
                                      .attend_streams = 8,
                                      .attend_tile = 16,
                                      .reduce_splits = 2 };
static const PkgPlan plan = { .layers = LAYERS,
                              .hidden = HIDDEN,
                              .heads = HEADS,
                              .kv_heads = KV_HEADS,
                              .head_dim = HEAD_DIM,
                              .ffn = FFN,
                              .vocab = VOCAB,
                              .context = FIRST + N,
                              .norm_eps = 1e-5f,
                              .kv_format = PKG_F16,
                              .matrices = 8,
                              .norms = 3,
                              .schedules = 1 };

static void row_get(void *context, int matrix, int layer, int row, float *out)
{
    (void)context;
    const uint32_t cols = matrices[matrix].cols;
    for (uint32_t col = 0; col < cols; ++col)
        out[col] = hash_weight((uint64_t)(matrix * LAYERS + layer), (uint32_t)row, col, hash_scale((int)cols));
}

static void norm_get(void *context, int norm, int layer, float *out)
{
    (void)context;
    for (uint32_t col = 0; col < HIDDEN; ++col)
        out[col] = hash_norm((uint64_t)(norm * LAYERS + layer), col);
}

static void run(int members, float *logits)
{
    double rope[HEAD_DIM / 2];
    for (int i = 0; i < HEAD_DIM / 2; ++i)
        rope[i] = pow(10000.0, -2.0 * i / HEAD_DIM);
    const RefPlan p = { .plan = &plan, .matrices = matrices, .norms = norms, .schedules = &schedule, .ints = slices, .rope = rope };
    const RefWeights weights = { .row = row_get, .norm = norm_get };
    Reference *r = reference_open(&p, &weights, FIRST + N, N, members);
    ASSERT(r != NULL);
    reference_fill_cache(r, 42, FIRST);
    reference_run(r, (uint32_t[N]){ 3, 599 }, FIRST, N, logits);
    reference_close(r);
}

static void test_bits(void)
{
    static float want[N * VOCAB], got[N * VOCAB];
    static const int members[] = { 2, 3, 7, TEAM_MOST, 0 };
    run(1, want);
    ASSERT(isfinite(want[0]) && want[0] != want[1] && memcmp(want, want + VOCAB, sizeof want / N) != 0);
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
        memset(got, 0, sizeof got);
        run(members[i], got);
        printf("%d members\n", members[i]);
        ASSERT(memcmp(want, got, sizeof want) == 0);
    }
}

typedef struct Seen {
    int members, most; // that may be; the highest number
    int items[1000], busy[TEAM_MOST], wrong;
} Seen;

static void see(void *context, int member, int first, int last)
{
    Seen *s = context;
    if (member < 0 || member >= s->members || first < 0 || first >= last || last > 1000 ||
        __atomic_exchange_n(&s->busy[member], 1, __ATOMIC_RELAXED)) {
        __atomic_add_fetch(&s->wrong, 1, __ATOMIC_RELAXED);
        return;
    }
    for (int i = first; i < last; ++i)
        __atomic_add_fetch(&s->items[i], 1, __ATOMIC_RELAXED);
    for (int most = __atomic_load_n(&s->most, __ATOMIC_RELAXED); member > most;)
        __atomic_compare_exchange_n(&s->most, &most, member, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __atomic_store_n(&s->busy[member], 0, __ATOMIC_RELAXED);
}

static void team(int members, int items, int cost, int most)
{
    Seen s = { .members = members };
    team_run(members, items, cost, see, &s);
    ASSERT_INT(0, s.wrong);
    ASSERT(s.most <= most);
    for (int i = 0; i < 1000; ++i)
        ASSERT_INT(i < items, s.items[i]);
}

static void test_team(void)
{
    const int items[] = { 0, 1, 2, 7, 63, 64, 65, 999, 1000 }, members[] = { 1, 2, 3, 7, TEAM_MOST };
    ASSERT(team_members() >= 1 && team_members() <= TEAM_MOST);
    for (int i = 0; i < 9; ++i)
        for (int m = 0; m < 5; ++m) {
            team(members[m], items[i], 1 << 30, members[m] - 1);
            team(members[m], items[i], 3, 0); // not worth a thread
        }
}

int main(void)
{
    test_bits();
    test_team();
    return test_failed;
}
