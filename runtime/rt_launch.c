// rt_launch.c: one launch of a decode kernel: request block, mailbox, what came of it.
#include "rt_state.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double most_launch_us =
    0.5e6; // a desktop's watchdog ends kernels after 2 s (WDDM), and Ctrl-C has to answer

uint32_t launch_limit(const Rt *rt)
{
    const PkgSchedule *s = package_schedule(&rt->package, (uint32_t)rt->position + 1);
    uint32_t most = REQUEST_TOKENS;
    if (s->ctx_max - (uint32_t)rt->position < most)
        most = s->ctx_max - (uint32_t)rt->position;
    if ((uint32_t)(rt->context - rt->position) < most)
        most = (uint32_t)(rt->context - rt->position);
    const double token_us = s->token_us > rt->token_us ? s->token_us : rt->token_us; // predicted; measured
    if (rt->options.launch_tokens > 0 && (uint32_t)rt->options.launch_tokens < most)
        most = (uint32_t)rt->options.launch_tokens;
    else if (!rt->options.launch_tokens && token_us * most > most_launch_us)
        most = (uint32_t)(most_launch_us / token_us);
    return most ? most : 1;
}

// Tags for every wave of the launch. Before they come round, what old packets lie there is wiped out: what is between the
// request and the keys.
static RtStatus take_tags(Rt *rt, uint32_t waves, uint32_t *first)
{
    const PkgPlan *plan = rt->package.plan;
    *first = rt->tag;
    if (rt->tag <= UINT32_MAX - waves) {
        rt->tag += waves;
        return RT_OK;
    }
    const uint64_t from = plan->request_at + sizeof(Request), bytes = plan->keys_at - from;
    void *zeros = calloc(1, bytes);
    if (!zeros)
        return rt_fail(&rt->error, ERR_MEMORY, "no memory for %llu zeros", (unsigned long long)bytes);
    const RtStatus sent = rt->api->upload(rt->device, rt->state + from, zeros, bytes, &rt->error);
    free(zeros);
    *first = 1;
    rt->tag = 1 + waves;
    return sent;
}

static RtStatus send_request(Rt *rt, const Launch *launch, const PkgSchedule *s)
{
    const PkgPlan *plan = rt->package.plan;
    Request request = rt->choice;
    request.position = (uint32_t)rt->position;
    request.tokens = launch->tokens;
    request.forced = launch->forced;
    request.id = launch->ids[0];
    request.fault = FAULT_NONE;
    if (take_tags(rt, launch->tokens * s->token_waves, &request.tag) != RT_OK)
        return RT_FAILED;
    request.mailbox = rt->mailbox_address;
    memcpy(request.ids, launch->ids, launch->forced * sizeof *launch->ids);
    if (!rt->options.ignore_eos) {
        request.eos_count = plan->eos_count;
        memcpy(request.eos, plan->eos, plan->eos_count * sizeof *plan->eos);
    }
    rt->mailbox->stop = 0;
    for (uint32_t i = 0; i < REQUEST_TOKENS; ++i)
        rt->mailbox->ids[i] = ID_NONE;
    return rt->api->upload(rt->device, rt->state + plan->request_at, &request, sizeof request, &rt->error);
}

static void ask_to_stop(Rt *rt)
{
    __atomic_store_n(&rt->mailbox->stop, 1, __ATOMIC_RELEASE);
}

// Hands on what the kernel has made since the last call. Once the text has ended, later ids do not count.
static void take_made(Rt *rt, Launch *launch)
{
    while (launch->accepted < launch->tokens && !launch->eos && !launch->sink_ended) {
        const uint32_t id = __atomic_load_n(&rt->mailbox->ids[launch->accepted], __ATOMIC_RELAXED);
        if (id == ID_NONE)
            return;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        rt->told = rt->mailbox->told[launch->accepted];
        ++launch->accepted;
        launch->last = id;
        if (!launch->sink)
            continue;
        if (launch->last >= rt->package.plan->vocab)
            break; // a fault, which check_outcome will name
        launch->sink_ended = !launch->sink(launch->sink_context, launch->last);
        launch->eos = rt_is_eos(rt, launch->last);
        if (launch->sink_ended)
            ask_to_stop(rt);
    }
}

// Waits for the end of the kernel, handing on ids on the way. Polling costs a core, so slow tokens are waited for
// asleep.
static RtStatus follow_launch(Rt *rt, Launch *launch, double token_us)
{
    const struct timespec nap = { 0, 50000 };
    for (bool busy = true; busy;) {
        if (rt->api->poll(rt->device, &busy, &rt->error) != RT_OK)
            return RT_FAILED;
        take_made(rt, launch);
        if (!busy)
            break;
        if (!launch->interrupted && rt->options.interrupted &&
            rt->options.interrupted(rt->options.interrupted_context)) {
            launch->interrupted = true;
            ask_to_stop(rt);
        }
        if (token_us > 2000)
            nanosleep(&nap, NULL);
    }
    return RT_OK;
}

static RtStatus check_outcome(Rt *rt, const Launch *launch, const PkgSchedule *schedule)
{
    uint64_t fault;
    if (rt->api->download(rt->device, &fault, rt->state + rt->package.plan->request_at + offsetof(Request, fault),
                          sizeof fault, &rt->error) != RT_OK)
        return RT_FAILED;
    if (fault != FAULT_NONE)
        return fault_report(rt, fault, schedule, (uint32_t)rt->position);
    if (launch->accepted < launch->tokens && !launch->eos && !launch->sink_ended && !launch->interrupted)
        return rt_fail(&rt->error, ERR_INTERNAL, "the kernel left after %u of %u tokens and gave no reason",
                       launch->accepted, launch->tokens);
    const bool chose = launch->accepted >= launch->forced; // no id comes before the last forced one
    if (chose && launch->last >= rt->package.plan->vocab)
        return rt_fail(&rt->error, ERR_INTERNAL, "the kernel chose id %u of %u", launch->last, rt->package.plan->vocab);
    return RT_OK;
}

RtStatus launch_run(Rt *rt, Launch *launch)
{
    const PkgSchedule *s = package_schedule(&rt->package, (uint32_t)rt->position + 1);
    const uint64_t args[] = { rt->memory, rt->state };
    const double start = now_seconds();
    if (rope_extend(rt, rt->position + (int)launch->tokens) != RT_OK || choose_begin(rt) != RT_OK || send_request(rt, launch, s) != RT_OK ||
        rt->api->launch(rt->device, PKG_ENTRY, (int)s->workers, (int)s->threads, (int)s->smem_bytes, true, args, 2,
                        &rt->error) != RT_OK ||
        follow_launch(rt, launch, s->token_us) != RT_OK || check_outcome(rt, launch, s) != RT_OK)
        return RT_FAILED;
    for (uint32_t i = 0; i < launch->accepted; ++i)
        rt->known[rt->position + (int)i] = i < launch->forced ? launch->ids[i] : rt->mailbox->ids[i - 1];
    rt->launched = s;
    rt->launched_position = (uint32_t)rt->position;
    rt->launched_tokens = launch->accepted;
    rt->position += (int)launch->accepted;
    rt->token_us = launch->accepted ? 1e6 * (now_seconds() - start) / launch->accepted : rt->token_us;
    return RT_OK;
}
