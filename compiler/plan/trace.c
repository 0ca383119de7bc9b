// trace.c: the stamps of -ftrace: how many bytes they take, where they lie, and that there is room for them.
#include "rules.h"

#include "../../runtime/package.h"

// Workers and waves, the most of any schedule.
static TraceMap shape(const Plan *p)
{
    TraceMap t = { 0 };
    for (int i = 0; i < p->schedules.n; ++i) {
        const Schedule *s = &p->schedules.at[i];
        t.workers = s->workers > t.workers ? s->workers : t.workers;
        t.waves = plan_token_waves(s) > t.waves ? plan_token_waves(s) : t.waves;
    }
    return t;
}

// Of the begins, so that stamps lie at a multiple of 16.
static int64_t begin_bytes(int workers)
{
    return ((int64_t)workers * 8 + 15) / 16 * 16;
}

int64_t plan_trace_bytes(const Plan *p)
{
    const TraceMap t = shape(p);
    return begin_bytes(t.workers) + (int64_t)REQUEST_TOKENS * t.workers * t.waves * (int64_t)sizeof(TraceStamp);
}

TraceMap plan_trace(const Plan *p)
{
    const Buffer *b = plan_buffer(&p->schedules.at[0], "trace");
    if (!b)
        return (TraceMap){ 0 };
    TraceMap t = shape(p);
    t.at = b->at;
    t.stamps_at = b->at + begin_bytes(t.workers);
    t.bytes = b->bytes;
    return t;
}

void rule_trace(const Plan *p, const Schedule *s, Diags *d)
{
    const Buffer *b = plan_buffer(s, "trace"), *first = plan_buffer(&p->schedules.at[0], "trace");
    if (!b && !first)
        return;
    if (!b || !first || b->at != first->at || b->space != SPACE_GLOBAL)
        rule_fail(p, s, d, 3, "buffer trace must be there, at the same place in every schedule, or in none");
    else if (b->bytes < plan_trace_bytes(p))
        rule_fail(p, s, d, 3, "buffer trace must hold %lld bytes: the stamps of %d tokens", (long long)plan_trace_bytes(p), REQUEST_TOKENS);
    else if (b->first_wave > 0 || b->last_wave < s->waves.n - 1)
        rule_fail(p, s, d, 3, "buffer trace must be kept through all waves");
}
