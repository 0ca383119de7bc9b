// generate.c: one answer: a prompt into the context, ids out of it, their text as it becomes whole, until something ends it.
#include "generate.h"
#include "rt_state.h"
#include "sampling.h"

#include <limits.h>

typedef struct Answer {
    Rt *rt;
    Generate *g;
    TokenizerStream stream; // tokens' bytes -> whole code points
    StopFilter filter;      // -> up to a stop string
    double start;
    bool cancelled;
} Answer;

static void put_text(void *context, const char *text, size_t bytes)
{
    Answer *a = context;
    if (a->g->text && !a->g->text(a->g->context, text, bytes))
        a->cancelled = true;
}

static void put_code_points(void *context, const char *text, size_t bytes)
{
    Answer *a = context;
    stop_add(&a->filter, text, bytes);
}

static bool ask_cancelled(void *context)
{
    Answer *a = context;
    a->cancelled = a->cancelled || (a->g->cancelled && a->g->cancelled(a->g->context));
    return a->cancelled;
}

static bool take_id(void *context, uint32_t id)
{
    Answer *a = context;
    Generate *g = a->g;
    if (!g->made++)
        g->first_seconds = now_seconds() - a->start;
    if (g->told && g->sampling && g->sampling->told && !g->told(g->context, id, &a->rt->told))
        a->cancelled = true;
    if (g->id && !g->id(g->context, id))
        a->cancelled = true;
    if (g->tokenizer && (g->special || (!rt_is_eos(a->rt, id) && tokenizer_type(g->tokenizer, id) != TOKEN_SPECIAL))) {
        size_t bytes;
        const uint8_t *text = tokenizer_bytes(g->tokenizer, id, &bytes);
        tokenizer_stream_add(&a->stream, text, bytes);
    }
    return a->filter.found < 0 && !ask_cancelled(a);
}

// ---- with the logits of every position: one token a launch ------------------------------------------------------

static RtStatus step_logits(Answer *a, uint32_t id, uint32_t *best)
{
    if (rt_logits(a->rt, id, a->g->row, best) != RT_OK)
        return RT_FAILED;
    a->cancelled = !a->g->logits(a->g->context, a->g->row) || a->cancelled;
    return RT_OK;
}

static RtStatus prefill_logits(Answer *a, uint32_t *best)
{
    const Generate *g = a->g;
    if (g->n > a->rt->context - a->rt->position) // says so before anything runs
        return rt_prefill(a->rt, g->ids, g->n);
    for (int i = 0; i < g->n && !ask_cancelled(a); ++i)
        if (step_logits(a, g->ids[i], best) != RT_OK)
            return RT_FAILED;
    return RT_OK;
}

static RtStatus decode_logits(Answer *a, int most, uint32_t best, RtEnd *end)
{
    Rt *rt = a->rt;
    for (*end = RT_END_COUNT; a->g->made < most;) {
        const bool goes_on = take_id(a, best);
        *end = rt_is_eos(rt, best) ? RT_END_EOS : goes_on ? RT_END_COUNT : RT_END_SINK;
        if (*end == RT_END_COUNT && a->g->made < most && rt_position(rt) == rt->context)
            *end = RT_END_CONTEXT;
        if (*end != RT_END_COUNT || a->g->made == most)
            break;
        if (step_logits(a, best, &best) != RT_OK)
            return RT_FAILED;
    }
    return RT_OK;
}

// ------------------------------------------------------------------------------------------------------------------

static RtStatus run(Answer *a)
{
    Generate *g = a->g;
    Rt *rt = a->rt;
    uint32_t best = 0;
    RtEnd end = RT_END_COUNT;
    const int most = g->most < 0 ? INT_MAX : g->most;
    a->start = now_seconds();
    RtStatus status = g->logits ? prefill_logits(a, &best) : g->n ? rt_prefill(rt, g->ids, g->n) : RT_OK;
    g->prompt_seconds = now_seconds() - a->start;
    g->first = rt_position(rt);
    if (status != RT_OK || a->cancelled)
        return status;
    const double start = now_seconds();
    status = g->logits ? decode_logits(a, most, best, &end) : rt_decode(rt, most, take_id, a, &end);
    g->decode_seconds = now_seconds() - start;
    tokenizer_stream_end(&a->stream);
    stop_end(&a->filter);
    g->end = end == RT_END_EOS       ? GENERATE_EOS
             : end == RT_END_CONTEXT ? GENERATE_CONTEXT
                                     : GENERATE_COUNT;
    return status;
}

RtStatus rt_generate(Rt *rt, Generate *g)
{
    Answer a = { .rt = rt, .g = g, .stream = { .sink = put_code_points, .context = &a } };
    const RtOptions before = rt->options;
    g->end = GENERATE_COUNT;
    g->made = 0;
    g->prompt_seconds = g->decode_seconds = g->first_seconds = 0;
    if (!stop_open(&a.filter, g->stops, put_text, &a))
        return rt_fail(&rt->error, ERR_MEMORY, "no memory for the stop strings");
    if (rt_choose(rt, g->sampling) != RT_OK) {
        stop_close(&a.filter);
        return RT_FAILED;
    }
    rt->options.ignore_eos = before.ignore_eos || g->ignore_eos;
    rt->options.interrupted = ask_cancelled;
    rt->options.interrupted_context = &a;
    const RtStatus status = run(&a);
    rt->options = before;
    rt_choose(rt, NULL);
    g->last = rt_position(rt);
    g->steps = g->last - g->first;
    g->stop = a.filter.found;
    if (g->stop >= 0)
        g->end = GENERATE_STOP;
    else if (a.cancelled && g->end == GENERATE_COUNT)
        g->end = GENERATE_CANCELLED;
    stop_close(&a.filter);
    return status;
}
