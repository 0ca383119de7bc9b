// verify.c: runs positions through program and reference and judges the difference.
#include "verify.h"
#include "hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_gap = 0.05; // below it rounding of K/V may choose the other of two ids

double verify_bound(uint32_t kv_format)
{
    return kv_format == PKG_F32 ? 1e-4 : kv_format == PKG_F16 ? 1e-3 : 4e-3;
}

uint32_t verify_id(const Rt *rt, int index)
{
    return (uint32_t)(hash_mix(hash_key(rt->seed, "ids") ^ (uint64_t)index) % rt->package.plan->vocab);
}

static bool may_choose(const uint8_t *selectable, int id)
{
    return !selectable || (selectable[id / 8] >> id % 8 & 1);
}

// The index of the largest value that may be chosen, the lowest among equals, and its distance to the next.
static uint32_t best_of(const float *logits, int vocab, const uint8_t *selectable, double *gap)
{
    int best = 0;
    double first = -INFINITY, second = -INFINITY;
    for (int i = 0; i < vocab; ++i)
        if (may_choose(selectable, i) && logits[i] > first) {
            second = first;
            first = logits[i];
            best = i;
        } else if (may_choose(selectable, i) && logits[i] > second) {
            second = logits[i];
        }
    *gap = first - second;
    return (uint32_t)best;
}

VerifyPosition verify_compare(int position, const float *program, uint32_t best_program, const float *reference,
                              int vocab, const uint8_t *selectable, uint32_t kv_format)
{
    VerifyPosition v = { .position = position, .best_program = best_program, .why = "" };
    double difference = 0, whole = 0, program_gap;
    bool finite = true;
    for (int i = 0; i < vocab; ++i) {
        const double d = (double)program[i] - reference[i];
        finite &= isfinite(program[i]) && isfinite(reference[i]);
        difference += d * d;
        whole += (double)reference[i] * reference[i];
        v.most = fabs(d) > v.most ? fabs(d) : v.most;
    }
    v.relative = !finite ? INFINITY : whole > 0 ? sqrt(difference / whole) : difference > 0 ? INFINITY : 0;
    v.equal_bits = memcmp(program, reference, (size_t)vocab * sizeof *program) == 0;
    v.best_reference = best_of(reference, vocab, selectable, &v.gap);
    v.equal_best = v.best_program == v.best_reference;
    const uint32_t own_best = best_of(program, vocab, selectable, &program_gap);
    if (!finite)
        v.why = "a logit is not finite";
    else if (!(v.relative <= verify_bound(kv_format)))
        v.why = "the logits leave the bound";
    else if (own_best != best_program)
        v.why = "the id chosen is not the largest of the program's own logits";
    else if (!v.equal_best && (kv_format == PKG_F32 || v.gap > least_gap))
        v.why = "another id is chosen";
    v.passed = !v.why[0];
    return v;
}

typedef struct VerifyBuffers {
    uint32_t *ids, *best;       // [n]
    float *program, *reference; // [n][vocab]
    RefSource source;
    Reference *ref;
} VerifyBuffers;

static void buffers_free(VerifyBuffers *b)
{
    if (b->ref)
        reference_close(b->ref);
    free(b->ids);
    free(b->best);
    free(b->program);
    free(b->reference);
}

static RtStatus buffers_open(Rt *rt, VerifyBuffers *b, int n, int context)
{
    const size_t logits = (size_t)n * rt->package.plan->vocab;
    memset(b, 0, sizeof *b);
    b->ids = malloc((size_t)n * sizeof *b->ids);
    b->best = malloc((size_t)n * sizeof *b->best);
    b->program = malloc(logits * sizeof *b->program);
    b->reference = malloc(logits * sizeof *b->reference);
    b->ref = rt_reference(rt, &b->source, context, n);
    if (b->ids && b->best && b->program && b->reference && b->ref)
        return RT_OK;
    buffers_free(b);
    return rt_fail(&rt->error, ERR_MEMORY, "no memory for the reference at a context of %d", context);
}

// Token by token, then all in one go, where the logits of the last must be the same.
static RtStatus run_program(Rt *rt, VerifyBuffers *b, int first, int n, bool *same)
{
    const size_t vocab = rt->package.plan->vocab;
    if (rt_fill_cache(rt, first) != RT_OK)
        return RT_FAILED;
    for (int i = 0; i < n; ++i)
        if (rt_logits(rt, b->ids[i], b->program + (size_t)i * vocab, &b->best[i]) != RT_OK)
            return RT_FAILED;
    if (rt_fill_cache(rt, first) != RT_OK || rt_prefill(rt, b->ids, n) != RT_OK ||
        rt->api->download(rt->device, b->reference, rt->state + rt->package.plan->logits_at,
                          vocab * sizeof *b->reference, &rt->error) != RT_OK)
        return RT_FAILED;
    const float *last = b->program + (size_t)(n - 1) * vocab;
    *same = rt->next == b->best[n - 1] && memcmp(b->reference, last, vocab * sizeof *last) == 0;
    return RT_OK;
}

// Every position to the sink; rt's error names the first that failed.
static bool judge(Rt *rt, const VerifyBuffers *b, int first, int n, VerifySink *sink, void *sink_context)
{
    const PkgPlan *plan = rt->package.plan;
    bool passed = true;
    for (int i = 0; i < n; ++i) {
        const size_t at = (size_t)i * plan->vocab;
        const VerifyPosition v = verify_compare(first + i, b->program + at, b->best[i], b->reference + at,
                                                (int)plan->vocab, rt->selectable, plan->kv_format);
        if (sink)
            sink(sink_context, &v);
        if (!v.passed && passed)
            rt_fail(&rt->error, ERR_VERIFY, "position %d: %s (relative error %.2e, bound %.0e; id %u, reference %u)",
                    v.position, v.why, v.relative, verify_bound(plan->kv_format), v.best_program, v.best_reference);
        passed &= v.passed;
    }
    return passed;
}

static int first_position(int context, int n)
{
    return context > n ? context - n : 0;
}

RtStatus verify_fits(Rt *rt, int context, int n)
{
    if (context >= 1 && n >= 1 && n <= rt->context && first_position(context, n) + n <= rt->context)
        return RT_OK;
    return rt_fail(&rt->error, ERR_CONTEXT_FULL, "context %d, %d positions: the context holds %d", context, n,
                   rt->context);
}

RtStatus verify_run(Rt *rt, int context, int n, VerifySink *sink, void *sink_context, bool *passed)
{
    const int first = first_position(context, n);
    VerifyBuffers b;
    bool same;
    if (verify_fits(rt, context, n) != RT_OK || buffers_open(rt, &b, n, first + n) != RT_OK)
        return RT_FAILED;
    for (int i = 0; i < n; ++i)
        b.ids[i] = verify_id(rt, i);
    if (run_program(rt, &b, first, n, &same) != RT_OK) {
        buffers_free(&b);
        return RT_FAILED;
    }
    reference_fill_cache(b.ref, rt->seed, first);
    reference_run(b.ref, b.ids, first, n, b.reference);
    *passed = judge(rt, &b, first, n, sink, sink_context);
    if (!same) {
        *passed = false;
        rt_fail(&rt->error, ERR_VERIFY, "%d tokens in one go leave other bits than one by one, at position %d", n,
                first + n - 1);
    }
    buffers_free(&b);
    return RT_OK;
}
