// measured.c: reads a trace that a program of -ftrace wrote: the waves of its last token, worker by worker.
#include "measured.h"

#include "../base/file.h"
#include "../base/json.h"

enum { MOST_TOKENS = 1 << 20 };

const MeasuredWave *measured_at(const Measured *m, int worker, int wave)
{
    return &m->waves[(size_t)worker * (size_t)plan_token_waves(m->schedule) + (size_t)wave];
}

// The place of a rolled wave of a layer in the unrolled token; -1: there is none.
static int unrolled(const Schedule *s, int rolled, int layer)
{
    const Repeat *r = &s->repeats.at[0];
    const bool inside = rolled >= r->first_wave && rolled < r->first_wave + r->waves;
    if (rolled >= s->waves.n || inside != (layer >= 0) || layer >= r->layers)
        return -1;
    return rolled < r->first_wave ? rolled : inside ? rolled + layer * r->waves : rolled + (r->layers - 1) * r->waves;
}

static const Schedule *find_schedule(const Plan *p, Json other)
{
    const char *name = want_str(other, "schedule");
    for (int i = 0; i < p->schedules.n; ++i)
        if (str_equal(p->schedules.at[i].name, name))
            return &p->schedules.at[i];
    error_at(json_loc(json_get(other, "schedule")), ERR_FILE_KIND, "the plan has no schedule \"%s\"", name);
}

static void check_plan(const Plan *p, const char *path, Json other)
{
    const char *mine = str_format(p->arena, "%016llx", (unsigned long long)p->plan_fingerprint), *made = want_str(other, "plan");
    const char *advice = "draw the plan of the program that wrote it: llmc compile --plan PROGRAM.d/plan.json --emit=svg --trace FILE";
    if (!str_equal(mine, made))
        error_at(loc_hint(loc_file(path), advice), ERR_FINGERPRINT, "the trace is of plan %s, this plan is %s", made, mine);
}

// One event of the token: a wave, or the wait at the beginning of the one before it in the file.
static void take_event(const Measured *m, MeasuredWave *waves, Json e, MeasuredWave **last)
{
    const Schedule *s = m->schedule;
    const double from = want_double(e, "ts", 0, 1e15), us = want_double(e, "dur", 0, 1e15);
    const int worker = (int)want_int(e, "tid", 0, s->workers - 1);
    if (str_equal(want_str(e, "cat"), "wait")) {
        if (*last)
            (*last)->ready = from + us;
        return;
    }
    const Json args = want_object(e, "args");
    const int wave = unrolled(s, (int)want_int(args, "wave", 0, s->waves.n - 1), (int)want_int(args, "layer", -1, s->repeats.at[0].layers));
    if (wave < 0)
        error_at(json_loc(e), ERR_FILE_KIND, "the plan has no such wave");
    *last = &waves[(size_t)worker * (size_t)plan_token_waves(s) + (size_t)wave];
    **last = (MeasuredWave){ from, from, from + us };
}

static void take_events(const Measured *m, MeasuredWave *waves, Json events, int64_t token)
{
    MeasuredWave *last = NULL;
    for (Json e = json_first(events); e.node; e = json_next(e)) {
        if (!str_equal(want_str(e, "ph"), "X"))
            continue;
        const Json args = json_get(e, "args");
        if (json_is(args) && want_int(args, "token", 0, MOST_TOKENS) != token)
            last = NULL;
        else if (json_is(args) || last)
            take_event(m, waves, e, &last);
    }
}

Measured measured_read(Arena *a, const Plan *p, const char *path)
{
    const Json all = json_read(a, path), other = json_get(all, "otherData");
    if (!json_is_object(other) || !json_is_number(json_get(other, "llmc_trace")))
        error_at(loc_file(path), ERR_FILE_KIND, "is no trace that a program of llmc wrote");
    want_int(other, "llmc_trace", 1, 1);
    check_plan(p, path, other);
    Measured m = { .schedule = find_schedule(p, other), .device = want_str(other, "device") };
    const int64_t first = want_int(other, "first_token", 0, MOST_TOKENS), token = first + want_int(other, "tokens", 1, MOST_TOKENS) - 1;
    const size_t n = (size_t)m.schedule->workers * (size_t)plan_token_waves(m.schedule);
    MeasuredWave *waves = arena_alloc(a, n * sizeof *waves);
    for (size_t i = 0; i < n; ++i)
        waves[i].begin = -1;
    m.first = token == 0;
    m.context = (int)(want_int(other, "position", 0, 1 << 24) + token + 1);
    m.waves = waves;
    take_events(&m, waves, want_array(all, "traceEvents"), token);
    for (size_t i = 0; i < n; ++i)
        if (waves[i].begin < 0)
            error_at(loc_file(path), ERR_FILE_KIND, "worker %d has no wave %d of token %lld", (int)(i / (size_t)plan_token_waves(m.schedule)),
                     (int)(i % (size_t)plan_token_waves(m.schedule)), (long long)token);
    return m;
}
