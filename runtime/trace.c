// trace.c: reads the stamps of the last launch back and makes records of them, one a token, worker and wave.
#include "trace.h"

#include <stdlib.h>

RtStatus trace_wanted(const Package *p, const char *name, const char *option, RtError *error)
{
    if (p->trace)
        return RT_OK;
    rt_fail(error, ERR_TRACE_MISSING, "%s: this program was compiled without -ftrace", option);
    rt_advise(error, "llmc compile MODEL -ftrace -o %.600s, with the target and options that made it", name);
    return RT_FAILED;
}

const TraceRecord *trace_at(const Trace *t, uint32_t token, uint32_t worker, uint32_t wave)
{
    return &t->at[((size_t)token * t->schedule->workers + worker) * t->schedule->token_waves + wave];
}

// Stamps as they lie on the device, from token `from` of the launch on, and each worker's begin.
typedef struct Stamps {
    TraceStamp *at;  // [tokens][map->workers][map->waves]
    uint64_t *begin; // [map->workers]
    uint32_t from, tokens;
} Stamps;

static RtStatus download(Rt *rt, Stamps *s)
{
    const PkgTrace *map = rt->package.trace;
    const size_t row = (size_t)map->workers * map->waves * sizeof *s->at;
    s->at = malloc(s->tokens * row);
    s->begin = malloc(map->workers * sizeof *s->begin);
    if (!s->at || !s->begin)
        return rt_fail(&rt->error, ERR_MEMORY, "no memory for the stamps of %u tokens", s->tokens);
    if (rt->api->download(rt->device, s->begin, rt->state + map->at, map->workers * sizeof *s->begin, &rt->error) != RT_OK)
        return RT_FAILED;
    return rt->api->download(rt->device, s->at, rt->state + map->stamps_at + s->from * row, s->tokens * row, &rt->error);
}

static void note_step(Trace *t, uint64_t from, uint64_t to)
{
    if (to > from && (!t->tick_ns || to - from < t->tick_ns))
        t->tick_ns = to - from;
}

// One worker's records. `last`: when it had done what came before them; `start`: the launch's begin on the device's clock.
static RtStatus take_worker(Rt *rt, const Stamps *s, uint32_t worker, uint64_t last, uint64_t start, Trace *t)
{
    const PkgTrace *map = rt->package.trace;
    for (uint32_t i = t->first - s->from; i < s->tokens; ++i)
        for (uint32_t w = 0; w < t->schedule->token_waves; ++w) {
            const TraceStamp *stamp = &s->at[((size_t)i * map->workers + worker) * map->waves + w];
            const bool waited = stamp->ready >= last && stamp->ready <= stamp->done;
            const uint64_t ready = waited ? stamp->ready : last;
            TraceRecord *record = (TraceRecord *)trace_at(t, i - (t->first - s->from), worker, w);
            if (stamp->done < last)
                return rt_fail(&rt->error, ERR_INTERNAL, "worker %u left no stamp in wave %u of token %u", worker, w, s->from + i);
            *record = (TraceRecord){ last - start, ready - start, stamp->done - start };
            note_step(t, last, ready);
            note_step(t, ready, stamp->done);
            last = stamp->done;
        }
    return RT_OK;
}

static RtStatus take_all(Rt *rt, const Stamps *s, Trace *t)
{
    const PkgTrace *map = rt->package.trace;
    const PkgSchedule *schedule = t->schedule;
    uint64_t start = UINT64_MAX;
    for (uint32_t w = 0; w < schedule->workers; ++w)
        start = s->begin[w] < start ? s->begin[w] : start;
    for (uint32_t w = 0; w < schedule->workers; ++w) {
        const uint64_t last = t->first > s->from ? s->at[(size_t)w * map->waves + schedule->token_waves - 1].done : s->begin[w];
        if (take_worker(rt, s, w, last, start, t) != RT_OK)
            return RT_FAILED;
    }
    return RT_OK;
}

RtStatus trace_read(Rt *rt, uint32_t most, Trace *t)
{
    const PkgSchedule *s = rt->launched;
    if (!s || !rt->launched_tokens)
        return rt_fail(&rt->error, ERR_USAGE, "nothing was run that could be traced");
    const uint32_t tokens = rt->launched_tokens, kept = most < tokens ? most : tokens;
    *t = (Trace){ .package = &rt->package, .schedule = s, .position = rt->launched_position, .launch_tokens = tokens,
                  .first = tokens - kept, .tokens = kept };
    t->at = malloc((size_t)kept * s->workers * s->token_waves * sizeof *t->at);
    Stamps stamps = { .from = t->first ? t->first - 1 : 0 }; // the token before says when the first one begins
    stamps.tokens = tokens - stamps.from;
    RtStatus status = t->at ? download(rt, &stamps) : rt_fail(&rt->error, ERR_MEMORY, "no memory for %u traced tokens", kept);
    if (status == RT_OK)
        status = take_all(rt, &stamps, t);
    free(stamps.at);
    free(stamps.begin);
    if (status != RT_OK)
        trace_free(t);
    return status;
}

void trace_free(Trace *t)
{
    free(t->at);
    t->at = NULL;
}
