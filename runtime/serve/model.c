// model.c: the one thread that the model belongs to: a job after the other.
#include "model.h"

#include <poll.h>

typedef struct Answering {
    Server *server;
    Job *job;
    bool no_memory;
} Answering;

// Has SIGINT or SIGTERM come? It stays to be read.
static bool is_stopping(const Server *s)
{
    struct pollfd look = { .fd = s->signals, .events = POLLIN };
    return poll(&look, 1, 0) > 0;
}

static bool put_text(void *context, const char *text, size_t bytes)
{
    Answering *a = context;
    a->no_memory = a->no_memory || !queue_put_text(&a->server->queue, a->job, text, bytes);
    return !a->no_memory;
}

static bool put_told(void *context, uint32_t id, const Told *told)
{
    Answering *a = context;
    if (!rt_is_eos(a->server->rt, id) && tokenizer_type(&a->server->view, id) != TOKEN_SPECIAL) // those are no text
        a->no_memory = a->no_memory || !queue_put_told(&a->server->queue, a->job, id, told);
    return !a->no_memory;
}

static bool is_cancelled(void *context)
{
    Answering *a = context;
    a->job->stopped = a->job->stopped || is_stopping(a->server);
    return a->job->stopped || queue_cancelled(a->job);
}

// The context goes on from what it shares with the prompt.
static RtStatus generate(Answering *a)
{
    Server *s = a->server;
    Job *job = a->job;
    job->kept = rt_keep(s->rt, job->ids, job->n);
    Generate g = { .ids = job->ids + job->kept,
                   .n = job->n - job->kept,
                   .most = job->most,
                   .sampling = &job->sampling,
                   .tokenizer = &s->view,
                   .stops = job->stops.n ? &job->stops : NULL,
                   .told = put_told,
                   .text = put_text,
                   .cancelled = is_cancelled,
                   .context = a };
    const RtStatus status = rt_generate(s->rt, &g);
    stats_take(&job->stats, &g);
    job->stats.prompt_tokens = g.n;
    job->end = g.end;
    return status;
}

RtStatus model_answer(Server *s, Job *job)
{
    Answering a = { .server = s, .job = job };
    job->status = generate(&a);
    const bool lost = job->status != RT_OK && rt_exit_code(rt_error(s->rt)->id) == 5; // a device does not come back
    if (job->status != RT_OK) {
        job->error = *rt_error(s->rt);
        rt_reset(s->rt); // what the fault left behind is not built on
    } else if (a.no_memory) {
        job->status = rt_fail(&job->error, ERR_MEMORY, "no memory for the answer");
    }
    __atomic_store_n(&s->context_used, rt_position(s->rt), __ATOMIC_RELAXED);
    const double floor = floor_ms(&s->package, stats_mean_context(&job->stats), floor_gbs(&s->package));
    metrics_job(&s->metrics, job, 1e-3 * floor * job->stats.steps);
    queue_done(&s->queue, job);
    return lost ? RT_FAILED : RT_OK;
}
