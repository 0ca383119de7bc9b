// bench.c: times launches with the host's clock.
#include "bench.h"
#include "verify.h"

#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

BenchTimes bench_summary(const double *ms, double *scratch, int n)
{
    double *s = scratch;
    memcpy(s, ms, (size_t)n * sizeof *ms);
    qsort(s, (size_t)n, sizeof *s, compare_doubles);
    const double median = n % 2 ? s[n / 2] : 0.5 * (s[n / 2 - 1] + s[n / 2]);
    // Nearest rank: the smallest that 10%, 90% of them do not exceed.
    return (BenchTimes){ .median = median, .p10 = s[(n + 9) / 10 - 1], .p90 = s[(9 * n + 9) / 10 - 1], .n = n };
}

static RtStatus read_launches(Rt *rt, int launches, double *ms)
{
    const PkgSchedule *s = &rt->package.schedules[0];
    const uint64_t args[] = { rt->memory, rt->state };
    const double start = now_seconds();
    for (int i = 0; i < launches; ++i)
        if (rt->api->launch(rt->device, "read_weights", (int)s->workers, (int)s->threads, s->sync == PKG_PACKETS ? (int)s->smem_bytes : 0, false, args, 2,
                            &rt->error) != RT_OK)
            return RT_FAILED;
    if (rt->api->wait(rt->device, &rt->error) != RT_OK)
        return RT_FAILED;
    *ms = 1e3 * (now_seconds() - start) / launches;
    return RT_OK;
}

RtStatus bench_read(Rt *rt, double warm_seconds, BenchTimes *read)
{
    enum { GROUPS = 9, MOST_LAUNCHES = 40 };
    double ms[GROUPS], sorted[GROUPS], one = 0;
    const double start = now_seconds();
    do {
        if (read_launches(rt, 1, &one) != RT_OK)
            return RT_FAILED;
    } while (now_seconds() - start < warm_seconds);
    // 20 ms a group: the host's part of a launch disappears in it.
    const int launches = one > 20 ? 1 : one * MOST_LAUNCHES < 20 ? MOST_LAUNCHES : (int)(20 / one);
    const int groups = one > 1000 ? 1 : GROUPS;
    for (int i = 0; i < groups; ++i)
        if (read_launches(rt, launches, &ms[i]) != RT_OK)
            return RT_FAILED;
    *read = bench_summary(ms, sorted, groups);
    return RT_OK;
}

// One timed run from `first` on; crossing into another schedule takes another launch.
static RtStatus run_tokens(Rt *rt, int first, int tokens, double *ms)
{
    uint32_t id = verify_id(rt, 0);
    rt_reset(rt);
    rt->position = first;
    if (rope_extend(rt, first + tokens) != RT_OK)
        return RT_FAILED;
    const double start = now_seconds();
    for (int done = 0; done < tokens;) {
        const uint32_t limit = launch_limit(rt), left = (uint32_t)(tokens - done);
        Launch launch = { .ids = &id, .forced = 1, .tokens = left < limit ? left : limit };
        if (launch_run(rt, &launch) != RT_OK)
            return RT_FAILED;
        done += (int)launch.accepted;
        id = launch.last;
    }
    *ms = 1e3 * (now_seconds() - start) / tokens;
    return RT_OK;
}

RtStatus bench_decode(Rt *rt, int context, int tokens, int repeats, double *ms, double *mean_context)
{
    const int first = context > tokens ? context - tokens : 0;
    double warm;
    if (first + tokens > rt->context)
        return rt_fail(&rt->error, ERR_CONTEXT_FULL, "%d tokens to time: the context holds %d", tokens, rt->context);
    *mean_context = first + 0.5 * (tokens + 1);
    if (rt_fill_cache(rt, first) != RT_OK || run_tokens(rt, first, tokens, &warm) != RT_OK)
        return RT_FAILED;
    for (int i = 0; i < repeats; ++i)
        if (run_tokens(rt, first, tokens, &ms[i]) != RT_OK)
            return RT_FAILED;
    return RT_OK;
}

RtStatus bench_prompt(Rt *rt, int n, int repeats, double *ms)
{
    uint32_t *ids = malloc((size_t)n * sizeof *ids);
    if (!ids)
        return rt_fail(&rt->error, ERR_MEMORY, "no memory for %d ids", n);
    for (int i = 0; i < n; ++i)
        ids[i] = verify_id(rt, i);
    RtStatus status = RT_OK;
    for (int i = -1; i < repeats && status == RT_OK; ++i) { // the first one warms up
        rt_reset(rt);
        const double start = now_seconds();
        status = rt_prefill(rt, ids, n);
        if (i >= 0)
            ms[i] = 1e3 * (now_seconds() - start);
    }
    free(ids);
    return status;
}
