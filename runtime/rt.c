// rt.c: the library's calls: open, prefill, decode, logits, rewind, close.
#include "rt_state.h"
#include "hash.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Where the program lies, so that NAME.llmw is looked for beside it whatever the current folder is.
static RtStatus find_program(Rt *rt)
{
    const char *given = rt->options.program;
    if (given) {
        snprintf(rt->program, sizeof rt->program, "%s", given);
    } else {
        const ssize_t bytes = readlink("/proc/self/exe", rt->program, sizeof rt->program - 1);
        if (bytes <= 0)
            return rt_fail(&rt->error, ERR_READ, "/proc/self/exe cannot be read: is /proc mounted?");
        rt->program[bytes] = 0;
    }
    const char *slash = strrchr(rt->program, '/');
    rt->name = slash ? slash + 1 : rt->program;
    if (rt->options.package) {
        rt->package = *rt->options.package;
        return RT_OK;
    }
    return package_open(&rt->package, given ? given : "/proc/self/exe", rt->name, &rt->error);
}

// No context beyond what the model is made for can be compiled.
static void advise_context(Rt *rt, int wanted)
{
    const int most = (int)rt->package.plan->model_context;
    if (wanted <= most)
        rt_advise(&rt->error, "recompile with --ctx %d", wanted);
    else
        rt_advise(&rt->error, "the model itself ends at %d positions", most);
}

static RtStatus check_context(Rt *rt)
{
    const int compiled = (int)rt->package.plan->context, asked = rt->options.context;
    rt->context = asked ? asked : compiled;
    if (asked >= 0 && asked <= compiled)
        return RT_OK;
    rt_fail(&rt->error, ERR_CONTEXT_FULL, "a context of %d was asked for; this program was compiled for %d", asked,
            compiled);
    advise_context(rt, asked);
    return RT_FAILED;
}

// A missing file is said before the device is touched: it is the first thing to mend.
static RtStatus find_weights(Rt *rt)
{
    RtStatus status;
    rt->random = weights_random(rt->options.weights, &rt->seed, &status, &rt->error);
    if (rt->random)
        return status;
    rt->bundled = !rt->options.weights && rt->package.weights.at;
    if (rt->bundled) {
        snprintf(rt->weights_path, sizeof rt->weights_path, "%s", rt->program);
        return RT_OK;
    }
    if (rt->options.weights)
        snprintf(rt->weights_path, sizeof rt->weights_path, "%s", rt->options.weights);
    else
        snprintf(rt->weights_path, sizeof rt->weights_path, "%s.llmw", rt->program);
    WeightsFile none;
    return access(rt->weights_path, F_OK) == 0
               ? RT_OK
               : weights_open(&none, rt->weights_path, rt->package.plan, rt->name, &rt->error);
}

static RtStatus open_weights(Rt *rt)
{
    const PkgPlan *plan = rt->package.plan;
    if (rt->random)
        return RT_OK;
    if (rt->bundled)
        return weights_inside(&rt->weights, rt->package.weights, rt->weights_path, plan, rt->name, &rt->error);
    return weights_open(&rt->weights, rt->weights_path, plan, rt->name, &rt->error);
}

RtStatus rt_open(Rt **out, const RtOptions *options)
{
    const double start = now_seconds();
    Rt *rt = *out = calloc(1, sizeof *rt);
    if (!rt)
        return RT_FAILED;
    rt->options = *options;
    if (find_program(rt) != RT_OK || check_context(rt) != RT_OK || find_weights(rt) != RT_OK ||
        device_open(rt) != RT_OK || open_weights(rt) != RT_OK || memory_open(rt) != RT_OK)
        return RT_FAILED;
    rt->load.total = now_seconds() - start;
    return RT_OK;
}

void rt_close(Rt *rt)
{
    if (!rt)
        return;
    if (rt->device)
        rt->api->close(rt->device);
    weights_close(&rt->weights);
    if (!rt->options.package)
        package_close(&rt->package);
    free(rt->rope_chunk);
    free(rt->known);
    free(rt->selectable);
    free(rt->bias);
    free(rt);
}

const RtError *rt_error(const Rt *rt)
{
    static const RtError no_memory = { ERR_MEMORY, "no memory for the runtime's own state", "" };
    return rt ? &rt->error : &no_memory;
}

int rt_position(const Rt *rt)
{
    return rt->position;
}

void rt_rewind(Rt *rt, int positions)
{
    rt->position = positions;
    rt->history_sent = rt->history_sent < positions ? rt->history_sent : positions;
    rt->has_next = rt->next_given = false;
}

void rt_reset(Rt *rt)
{
    rt_rewind(rt, 0);
}

int rt_keep(Rt *rt, const uint32_t *ids, int n)
{
    int shared = 0;
    while (shared < rt->position && shared < n - 1 && rt->known[shared] == ids[shared])
        ++shared;
    rt_rewind(rt, shared);
    return shared;
}

static void take_next(Rt *rt, uint32_t id)
{
    rt->next = id;
    rt->next_told = rt->told; // of the launch's last id
    rt->has_next = true;
    rt->next_given = false;
}

static RtStatus check_ids(Rt *rt, const uint32_t *ids, int n)
{
    if (n < 1)
        return rt_fail(&rt->error, ERR_USAGE, "no ids");
    for (int i = 0; i < n; ++i)
        if (ids[i] >= rt->package.plan->vocab)
            return rt_fail(&rt->error, ERR_USAGE, "id %u at index %d: the model has ids below %u", ids[i], i,
                           rt->package.plan->vocab);
    return RT_OK;
}

static RtStatus check_room(Rt *rt, int n)
{
    const int given = rt->next_given;
    if (n <= rt->context - rt->position - given)
        return RT_OK;
    rt_fail(&rt->error, ERR_CONTEXT_FULL, "%d tokens do not fit: the context holds %d, %d are taken", n, rt->context,
            rt->position + given);
    if (rt->context < (int)rt->package.plan->context)
        rt_advise(&rt->error, "this program's context goes up to -c %u", rt->package.plan->context);
    else
        advise_context(rt, rt->position + given + n);
    return RT_FAILED;
}

// Puts ids into the cache; the head runs for the last one of each launch. false in *whole: interrupted.
static RtStatus append_ids(Rt *rt, const uint32_t *ids, int n, bool *whole)
{
    *whole = true;
    for (int done = 0; done < n;) {
        const uint32_t limit = launch_limit(rt), left = (uint32_t)(n - done);
        Launch launch = { .ids = ids + done };
        launch.forced = launch.tokens = left < limit ? left : limit;
        if (launch_run(rt, &launch) != RT_OK)
            return RT_FAILED;
        done += (int)launch.accepted;
        take_next(rt, launch.last);
        // A launch on the CPU ends before anything is asked.
        if (done < n && rt->options.interrupted && rt->options.interrupted(rt->options.interrupted_context))
            launch.interrupted = true;
        if (launch.interrupted) {
            rt->has_next = done == n;
            *whole = done == n;
            return RT_OK;
        }
    }
    return RT_OK;
}

// What was passed to a sink last stands before what comes now.
static RtStatus append_given(Rt *rt, bool *whole)
{
    *whole = true;
    if (!rt->has_next || !rt->next_given)
        return RT_OK;
    const uint32_t given = rt->next;
    return append_ids(rt, &given, 1, whole);
}

RtStatus rt_prefill(Rt *rt, const uint32_t *ids, int n)
{
    bool whole;
    if (check_ids(rt, ids, n) != RT_OK || check_room(rt, n) != RT_OK || append_given(rt, &whole) != RT_OK)
        return RT_FAILED;
    return whole ? append_ids(rt, ids, n, &whole) : RT_OK;
}

bool rt_is_eos(const Rt *rt, uint32_t id)
{
    const PkgPlan *plan = rt->package.plan;
    for (uint32_t i = 0; i < plan->eos_count && !rt->options.ignore_eos; ++i)
        if (plan->eos[i] == id)
            return true;
    return false;
}

RtStatus rt_decode(Rt *rt, int n, RtSink *sink, void *context, RtEnd *end)
{
    *end = RT_END_COUNT;
    if (!rt->has_next)
        return rt_fail(&rt->error, ERR_USAGE, "nothing to continue: no id was put in since the context was cut");
    int given = 0;
    if (n > 0 && !rt->next_given) {
        rt->next_given = true;
        ++given;
        rt->told = rt->next_told;
        if (!sink(context, rt->next))
            *end = RT_END_SINK;
        if (rt_is_eos(rt, rt->next))
            *end = RT_END_EOS;
    }
    while (given < n && *end == RT_END_COUNT) {
        if (rt->position == rt->context) {
            *end = RT_END_CONTEXT;
            break;
        }
        // A launch on the CPU returns at its end, so that ids can be handed on only between launches.
        const bool at_once = rt->package.plan->device == PKG_CPU && !rt->options.launch_tokens;
        const uint32_t limit = at_once ? 1 : launch_limit(rt), left = (uint32_t)(n - given), id = rt->next;
        Launch launch = { .ids = &id, .forced = 1, .sink = sink, .sink_context = context };
        launch.tokens = left < limit ? left : limit;
        if (launch_run(rt, &launch) != RT_OK)
            return RT_FAILED;
        given += (int)launch.accepted;
        if (launch.accepted) {
            take_next(rt, launch.last);
            rt->next_given = true;
        }
        *end = launch.eos           ? RT_END_EOS
               : launch.sink_ended  ? RT_END_SINK
               : launch.interrupted ? RT_END_INTERRUPTED
                                    : RT_END_COUNT;
    }
    return RT_OK;
}

RtStatus rt_logits(Rt *rt, uint32_t id, float *out, uint32_t *best)
{
    bool whole;
    if (check_ids(rt, &id, 1) != RT_OK || check_room(rt, 1) != RT_OK || append_given(rt, &whole) != RT_OK)
        return RT_FAILED;
    Launch launch = { .ids = &id, .forced = 1, .tokens = 1 };
    if (launch_run(rt, &launch) != RT_OK)
        return RT_FAILED;
    take_next(rt, launch.last);
    *best = launch.last;
    return rt->api->download(rt->device, out, rt->state + rt->package.plan->logits_at,
                             rt->package.plan->vocab * sizeof *out, &rt->error);
}

RtStatus rt_fill_cache(Rt *rt, int n)
{
    const PkgSchedule *s = &rt->package.schedules[0];
    const uint64_t args[] = { rt->memory, rt->state, (uint64_t)n, hash_key(rt->seed, "cache") };
    rt_reset(rt);
    if (n == 0)
        return RT_OK;
    if (rt->api->launch(rt->device, "fill_cache", (int)s->workers, (int)s->threads, 0, false, args, 4, &rt->error) !=
            RT_OK ||
        rt->api->wait(rt->device, &rt->error) != RT_OK)
        return RT_FAILED;
    memset(rt->known, 0xff, (size_t)n * sizeof *rt->known); // no id
    rt->position = n;
    return RT_OK;
}

Reference *rt_reference(const Rt *rt, RefSource *source, int context, int positions)
{
    const Package *p = &rt->package;
    source->rows = (Rows){ .package = p, .streams = rt->weights.streams, .seed = rt->seed };
    source->weights = rows_weights(&source->rows);
    source->plan = (RefPlan){ .plan = p->plan,
                              .matrices = p->matrices,
                              .norms = p->norms,
                              .schedules = p->schedules,
                              .waves = p->waves,
                              .tasks = p->tasks,
                              .ints = p->ints,
                              .rope = p->rope };
    return reference_open(&source->plan, &source->weights, context, positions, 0);
}
