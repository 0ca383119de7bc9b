// explain.c: launches timed and traced, and their time shared out among its causes.
#include "explain.h"
#include "bench.h"
#include "trace.h"
#include "verify.h"

#include <stdlib.h>

// What is kept of one launch. Nanoseconds a token: of each wave, its slice, and in it the time until all had their inputs.
typedef struct Launched {
    double host_us;       // a token, by the host's clock
    double *slice, *wait; // [token_waves]
} Launched;

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void take_slices(const Trace *t, Launched *l)
{
    const PkgSchedule *s = t->schedule;
    uint64_t end = 0; // of all waves so far
    for (uint32_t token = 0; token < t->tokens; ++token)
        for (uint32_t wave = 0; wave < s->token_waves; ++wave) {
            uint64_t ready = end, done = end;
            for (uint32_t worker = 0; worker < s->workers; ++worker) {
                const TraceRecord *r = trace_at(t, token, worker, wave);
                done = later(done, r->done);
                ready = later(ready, r->ready);
            }
            l->slice[wave] += (double)(done - end) / t->tokens;
            l->wait[wave] += (double)((ready < done ? ready : done) - end) / t->tokens;
            end = done;
        }
}

// Between a schedule's shortest context and its longest.
static double predicted_us(const PkgSchedule *s, const PkgTraceWave *w, double context)
{
    const double range = (double)s->ctx_max - s->ctx_min, at = range > 0 ? (context - s->ctx_min) / range : 1;
    return w->first_us + (w->last_us - w->first_us) * at;
}

static ExplainPart rest_of(uint32_t op, const PkgTraceWave *w)
{
    return op == PKG_OP_ATTEND ? EXPLAIN_ATTENTION : w->weight_bytes ? EXPLAIN_STREAMING : EXPLAIN_SMALL;
}

// One instance of a wave, microseconds: its slice of a token, of that the time until all had their inputs, its bytes at the rate of
// reading, and those of later waves (less than nothing: those of its own that earlier slices brought).
typedef struct Slice {
    double us, wait, floor, ahead;
} Slice;

static double over_floor(const Slice *s)
{
    return s->us - s->floor - s->ahead;
}

// What a slice is shorter than its floor, the ring brought during the ones before it: at most a layer's.
static void reach_ahead(const PkgSchedule *schedule, Slice *slices)
{
    const int n = (int)schedule->token_waves, back = schedule->sync == PKG_PACKETS ? (int)schedule->repeat_waves : 0;
    for (int i = 0; i < n; ++i)
        for (int j = i - 1; j >= 0 && j >= i - back && over_floor(&slices[i]) < 0; --j) {
            const double spare = over_floor(&slices[j]), lacks = -over_floor(&slices[i]), moved = spare < lacks ? spare : lacks;
            if (moved > 0) {
                slices[j].ahead += moved;
                slices[i].ahead -= moved;
            }
        }
}

static void add_parts(double *part, const Slice *s, ExplainPart rest)
{
    const double over = over_floor(s), wait = over <= 0 ? 0 : s->wait < over ? s->wait : over;
    part[EXPLAIN_FLOOR] += s->floor + s->ahead;
    part[EXPLAIN_LATENCY] += wait;
    part[rest] += over - wait;
}

// The slices of a token, as measured and as predicted, added to their rolled waves.
static void add_slices(const Rt *rt, const Explained *e, const Launched *l, Slice *measured, Slice *predicted)
{
    const PkgSchedule *s = e->schedule;
    for (uint32_t wave = 0; wave < s->token_waves; ++wave) {
        const uint32_t rolled = package_wave(&rt->package, s, wave).rolled;
        const PkgTraceWave *w = &rt->package.trace_waves[s->first_wave + rolled];
        const double bytes = (double)w->weight_bytes + (double)w->kv_bytes * e->mean_context;
        e->waves[rolled].bytes += bytes;
        measured[wave] = (Slice){ l->slice[wave] * 1e-3, l->wait[wave] * 1e-3, bytes / (e->gbs * 1e3), 0 };
        predicted[wave] = (Slice){ predicted_us(s, w, e->mean_context), w->latency_us, bytes / (rt->package.plan->dram_gbs * 1e3), 0 };
    }
    reach_ahead(s, measured);
    reach_ahead(s, predicted);
    for (uint32_t wave = 0; wave < s->token_waves; ++wave) {
        const uint32_t rolled = package_wave(&rt->package, s, wave).rolled;
        const PkgTraceWave *w = &rt->package.trace_waves[s->first_wave + rolled];
        const ExplainPart rest = rest_of(rt->package.waves[s->first_wave + rolled].op, w);
        ExplainWave *out = &e->waves[rolled];
        ++out->times;
        out->predicted += predicted[wave].us;
        out->measured += measured[wave].us;
        out->waiting += measured[wave].wait;
        out->ahead += measured[wave].ahead;
        add_parts(out->part, &measured[wave], rest);
        add_parts(out->expected, &predicted[wave], rest);
    }
}

static RtStatus share_out(const Rt *rt, Explained *e, const Launched *l, RtError *error)
{
    const PkgSchedule *s = e->schedule;
    Slice *slices = calloc((size_t)s->token_waves * 2, sizeof *slices);
    if (!slices)
        return rt_fail(error, ERR_MEMORY, "no memory for %u slices", s->token_waves * 2);
    add_slices(rt, e, l, slices, slices + s->token_waves);
    free(slices);
    e->measured = e->part[EXPLAIN_LAUNCH] = l->host_us;
    for (uint32_t i = 0; i < s->waves; ++i) {
        e->waves[i].what = rt->package.waves[s->first_wave + i].what;
        e->predicted += e->waves[i].predicted;
        e->part[EXPLAIN_LAUNCH] -= e->waves[i].measured;
        for (int k = 0; k < EXPLAIN_LAUNCH; ++k) {
            e->part[k] += e->waves[i].part[k];
            e->expected[k] += e->waves[i].expected[k];
        }
    }
    return RT_OK;
}

// One launch of e->tokens from `first` on; with `l`, timed and traced.
static RtStatus run_launch(Rt *rt, Explained *e, int first, Launched *l)
{
    const uint32_t id = verify_id(rt, 0);
    Trace trace;
    Launch launch = { .ids = &id, .forced = 1, .tokens = e->tokens };
    rt_reset(rt);
    rt->position = first;
    if (rope_extend(rt, first + (int)e->tokens) != RT_OK)
        return RT_FAILED;
    const double start = now_seconds();
    if (launch_run(rt, &launch) != RT_OK)
        return RT_FAILED;
    const double seconds = now_seconds() - start;
    if (!l)
        return RT_OK;
    l->host_us = 1e6 * seconds / e->tokens;
    if (trace_read(rt, e->tokens, &trace) != RT_OK)
        return RT_FAILED;
    take_slices(&trace, l);
    if (trace.tick_ns && (!e->tick_ns || trace.tick_ns < e->tick_ns))
        e->tick_ns = trace.tick_ns;
    trace_free(&trace);
    return RT_OK;
}

// The launch that ends at the context, in one schedule: its first position and its tokens.
static RtStatus choose_launch(Rt *rt, int context, Explained *e, int *first)
{
    const PkgSchedule *s = package_schedule(&rt->package, (uint32_t)context);
    const uint32_t most = rt->package.plan->device == PKG_CPU ? 4 : REQUEST_TOKENS, begins = s ? s->ctx_min - 1 : 0;
    if (!s || context > rt->context)
        return rt_fail(&rt->error, ERR_CONTEXT_FULL, "context %d: this program's goes up to %d", context, rt->context);
    uint32_t tokens = (uint32_t)context - begins < most ? (uint32_t)context - begins : most;
    *first = context - (int)tokens;
    rt_reset(rt);
    rt->position = *first;
    if (*first == 0)
        tokens = most; // a launch that begins on an empty cache
    const uint32_t limit = launch_limit(rt);
    e->tokens = tokens < limit ? tokens : limit;
    if (*first > 0)
        *first = context - (int)e->tokens;
    e->context = context;
    e->mean_context = *first + 0.5 * (e->tokens + 1);
    e->schedule = s;
    return RT_OK;
}

// The launch whose time is the median of all.
static int median_of(const Launched *l, int n)
{
    for (int i = 0; i < n; ++i) {
        int shorter = 0;
        for (int k = 0; k < n; ++k)
            shorter += l[k].host_us < l[i].host_us || (l[k].host_us == l[i].host_us && k < i);
        if (shorter == (n - 1) / 2)
            return i;
    }
    return 0;
}

static RtStatus measure(Rt *rt, Explained *e, int first, double warm_seconds, Launched *l)
{
    BenchTimes before, after;
    if (bench_read(rt, warm_seconds, &before) != RT_OK || rt_fill_cache(rt, first) != RT_OK ||
        run_launch(rt, e, first, NULL) != RT_OK)
        return RT_FAILED;
    for (int i = 0; i < e->launches; ++i)
        if (run_launch(rt, e, first, &l[i]) != RT_OK)
            return RT_FAILED;
    if (bench_read(rt, 0, &after) != RT_OK)
        return RT_FAILED;
    e->gbs = (double)package_matrix_bytes(&rt->package) / (0.5e6 * (before.median + after.median));
    return RT_OK;
}

RtStatus explain_run(Rt *rt, int context, int launches, double warm_seconds, Explained *e)
{
    int first = 0;
    *e = (Explained){ .launches = launches };
    if (choose_launch(rt, context, e, &first) != RT_OK)
        return RT_FAILED;
    const uint32_t waves = e->schedule->token_waves;
    Launched *l = calloc((size_t)launches, sizeof *l);
    double *room = calloc((size_t)launches * waves * 2, sizeof *room);
    e->waves = calloc(e->schedule->waves, sizeof *e->waves);
    for (int i = 0; l && room && i < launches; ++i) {
        l[i].slice = room + (size_t)i * waves * 2;
        l[i].wait = l[i].slice + waves;
    }
    RtStatus status = l && room && e->waves ? measure(rt, e, first, warm_seconds, l)
                                            : rt_fail(&rt->error, ERR_MEMORY, "no memory for %d launches", launches);
    if (status == RT_OK)
        status = share_out(rt, e, &l[median_of(l, launches)], &rt->error);
    free(room);
    free(l);
    return status;
}

void explain_free(Explained *e)
{
    free(e->waves);
    e->waves = NULL;
}
