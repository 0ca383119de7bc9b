// rt_choose.c: how the next launches choose: the fields of a request, the bias of every id, the ids that penalties look back at.
#include "rt_state.h"
#include "sampling.h"

#include <math.h>
#include <string.h>

// The value of every id that is to be added: nothing, what is asked, or minus infinity for those that may never be chosen.
static RtStatus send_bias(Rt *rt, const Sampling *s)
{
    const uint32_t vocab = rt->package.plan->vocab;
    uint32_t left = 0;
    for (uint32_t id = 0; id < vocab; ++id)
        rt->bias[id] = rt_selectable(rt, id) ? 0 : -INFINITY;
    for (int i = 0; i < s->biases; ++i) {
        if (s->bias[i].id >= vocab)
            return rt_fail(&rt->error, ERR_USAGE, "a bias for id %u: the model has ids below %u", s->bias[i].id, vocab);
        rt->bias[s->bias[i].id] += s->bias[i].add;
    }
    for (uint32_t id = 0; id < vocab; ++id)
        left += rt->bias[id] > -INFINITY;
    if (!left)
        return rt_fail(&rt->error, ERR_USAGE, "the biases leave no id that may be chosen");
    return rt->api->upload(rt->device, rt->state + rt->package.plan->bias_at, rt->bias, vocab * sizeof *rt->bias, &rt->error);
}

static Request request_of(const Rt *rt, const Sampling *s)
{
    Request request, *r = &request;
    memset(r, 0, sizeof *r);
    if (!s)
        return request;
    const bool penalties = s->window && (s->repeat != 1 || s->presence != 0 || s->frequency != 0);
    const double share = s->top_p < 1 ? floor(s->top_p * 0x1p32 + 0.5) : 0;
    r->choose = (s->temperature > 0 ? CHOOSE_DRAWN : 0) | (penalties ? CHOOSE_PENALTIES : 0);
    r->choose |= r->choose || s->biases ? CHOOSE_VALUES : 0;
    r->choose |= s->told ? CHOOSE_TOLD : 0;
    r->logprobs = (uint32_t)s->logprobs;
    r->seed = s->seed;
    r->shrink = (float)(1 / s->repeat);
    r->grow = (float)s->repeat;
    r->presence = (float)s->presence;
    r->frequency = (float)s->frequency;
    r->window = s->window < 0 ? (uint32_t)rt->context : (uint32_t)s->window;
    r->top_k = (uint32_t)s->top_k;
    r->top_p = s->top_p < 1 && share < 1 ? 1 : share > UINT32_MAX ? 0 : (uint32_t)share;
    r->reach = s->min_p > 0 ? (float)-log(s->min_p) : INFINITY;
    r->scale = s->temperature > 0 ? (float)(1.4426950408889634 / s->temperature) : 0;
    return request;
}

RtStatus rt_choose(Rt *rt, const Sampling *s)
{
    const Request request = request_of(rt, s);
    if (request.choose & CHOOSE_VALUES && send_bias(rt, s) != RT_OK)
        return RT_FAILED;
    rt->choice = request;
    return RT_OK;
}

// The ids before the launch that penalties count, as far as the device does not have them.
RtStatus choose_begin(Rt *rt)
{
    const int from = rt->history_sent, n = rt->position - from;
    if (!(rt->choice.choose & CHOOSE_PENALTIES) || n <= 0)
        return RT_OK;
    rt->history_sent = rt->position;
    return rt->api->upload(rt->device, rt->state + rt->package.plan->history_at + (uint64_t)from * sizeof *rt->known, rt->known + from,
                           (size_t)n * sizeof *rt->known, &rt->error);
}
