// rt_memory.c: the one device allocation: weights, then state; filled from the file or from a seed.
#include "rt_state.h"

#include <stdlib.h>

// Bytes that grow with the context, for one position: K/V row and rope row of the plan, and its id.
static uint64_t position_bytes(const PkgPlan *plan)
{
    return plan->kv_bytes / plan->context + (uint64_t)plan->head_dim * sizeof(float) + sizeof(uint32_t);
}

static RtStatus check_memory(Rt *rt)
{
    const PkgPlan *plan = rt->package.plan;
    const uint64_t need = plan->state_at + plan->state_bytes;
    if (rt->info.free_bytes < 0 || need <= (uint64_t)rt->info.free_bytes)
        return RT_OK;
    const uint64_t available = (uint64_t)rt->info.free_bytes, grows = position_bytes(plan) * plan->context;
    rt_fail(&rt->error, ERR_DEVICE_MEMORY, "needs %s bytes on the GPU, %s are free", count_text(need).text,
            count_text(available).text);
    const uint64_t fixed = need > grows ? need - grows : 0;
    uint64_t fits = available > fixed ? (available - fixed) / position_bytes(plan) : 0;
    fits -= fits % (fits >= 1024 ? 1024 : 64);
    if (fits)
        rt_advise(&rt->error, "recompile with --ctx %llu, which would fit", (unsigned long long)fits);
    else
        rt_advise(&rt->error, "no context fits: weights and fixed buffers alone need %s bytes", count_text(fixed).text);
    return RT_FAILED;
}

// The image's own kernel makes the values from one key a tensor and layer.
static RtStatus fill_random(Rt *rt)
{
    const Package *p = &rt->package;
    const uint64_t count = weights_keys_count(p), args[] = { rt->memory, rt->state };
    uint64_t *keys = malloc(count * sizeof *keys);
    if (!keys)
        return rt_fail(&rt->error, ERR_MEMORY, "no memory for %llu keys", (unsigned long long)count);
    weights_keys(p, rt->seed, keys);
    const RtStatus sent =
        rt->api->upload(rt->device, rt->state + p->plan->keys_at, keys, count * sizeof *keys, &rt->error);
    free(keys);
    if (sent != RT_OK || rt->api->launch(rt->device, "fill_weights", (int)p->schedules[0].workers,
                                         (int)p->schedules[0].threads, 0, false, args, 2, &rt->error) != RT_OK)
        return RT_FAILED;
    return rt->api->wait(rt->device, &rt->error);
}

RtStatus memory_open(Rt *rt)
{
    const PkgPlan *plan = rt->package.plan;
    void *mailbox = NULL;
    rt->rope_chunk = calloc(ROPE_CHUNK, plan->head_dim * sizeof *rt->rope_chunk);
    rt->known = calloc((size_t)rt->context, sizeof *rt->known);
    rt->bias = calloc(plan->vocab, sizeof *rt->bias);
    if (!rt->rope_chunk || !rt->known || !rt->bias)
        return rt_fail(&rt->error, ERR_MEMORY, "no memory for a part of the rope table, the ids of the context and a bias of each id");
    if (check_memory(rt) != RT_OK ||
        rt->api->alloc(rt->device, plan->state_at + plan->state_bytes, &rt->memory, &rt->error) != RT_OK ||
        rt->api->map(rt->device, sizeof *rt->mailbox, &mailbox, &rt->mailbox_address, &rt->error) != RT_OK)
        return RT_FAILED;
    rt->mailbox = mailbox;
    rt->tag = 1;
    rt->state = rt->memory + plan->state_at;
    if (selectable_open(rt) != RT_OK)
        return RT_FAILED;
    const double start = now_seconds();
    const RtStatus status = rt->random
                                ? fill_random(rt)
                                : weights_upload(&rt->weights, rt->api, rt->device, rt->memory, rt->options.progress,
                                                 rt->options.progress_context, &rt->error);
    rt->load.weights = now_seconds() - start;
    return status;
}
