// metrics.c: what the server has done so far, in Prometheus' text format (version 0.0.4).
#include "metrics.h"
#include "../rt_state.h"

#include <string.h>

void metrics_open(Metrics *m)
{
    memset(m, 0, sizeof *m);
    m->started = now_seconds();
    pthread_mutex_init(&m->lock, NULL);
}

void metrics_close(Metrics *m)
{
    pthread_mutex_destroy(&m->lock);
}

void metrics_answer(Metrics *m, const char *route, unsigned status)
{
    int r = 0, c = 0;
    pthread_mutex_lock(&m->lock);
    while (r < METRIC_ROUTES - 1 && m->routes[r] && strcmp(m->routes[r], route) != 0)
        ++r;
    while (c < METRIC_CODES - 1 && m->codes[c] && m->codes[c] != status)
        ++c;
    m->routes[r] = route;
    m->codes[c] = status;
    ++m->answered[r][c];
    m->cancelled += status == METRIC_GONE;
    pthread_mutex_unlock(&m->lock);
}

void metrics_job(Metrics *m, const Job *job, double floor_seconds)
{
    const Stats *s = &job->stats;
    pthread_mutex_lock(&m->lock);
    ++m->jobs;
    m->faults += job->status != RT_OK;
    m->prompt_tokens += (uint64_t)s->prompt_tokens;
    m->kept_tokens += (uint64_t)job->kept;
    m->made_tokens += (uint64_t)s->made;
    m->steps += (uint64_t)s->steps;
    m->waited_seconds += job->waited_seconds;
    m->prompt_seconds += s->prompt_seconds;
    m->decode_seconds += s->decode_seconds;
    m->floor_seconds += floor_seconds;
    if (s->made) {
        ++m->firsts;
        m->first_seconds += s->first_seconds;
    }
    pthread_mutex_unlock(&m->lock);
}

static void put(FILE *out, const char *name, const char *kind, const char *help, double value)
{
    fprintf(out, "# HELP llmc_%s %s\n# TYPE llmc_%s %s\nllmc_%s %.17g\n", name, help, name, kind, name, value);
}

static void put_answers(const Metrics *m, FILE *out)
{
    fputs("# HELP llmc_requests_total Requests answered, by path and HTTP status; 499: the client went before.\n"
          "# TYPE llmc_requests_total counter\n",
          out);
    for (int r = 0; r < METRIC_ROUTES && m->routes[r]; ++r)
        for (int c = 0; c < METRIC_CODES; ++c)
            if (m->answered[r][c])
                fprintf(out, "llmc_requests_total{path=\"%s\",status=\"%u\"} %llu\n", m->routes[r], m->codes[c],
                        (unsigned long long)m->answered[r][c]);
}

void metrics_write(Metrics *m, const MetricsNow *now, FILE *out)
{
    static const char counter[] = "counter", gauge[] = "gauge";
    pthread_mutex_lock(&m->lock);
    put_answers(m, out);
    put(out, "answers_total", counter, "Texts the model has written, whole or cut short.", (double)m->jobs);
    put(out, "faults_total", counter, "Texts that ended in a fault of the model or the device.", (double)m->faults);
    put(out, "cancelled_total", counter, "Requests whose client went before the answer.", (double)m->cancelled);
    put(out, "prompt_tokens_total", counter, "Prompt tokens processed.", (double)m->prompt_tokens);
    put(out, "prompt_tokens_kept_total", counter, "Prompt tokens that the context had from the request before.",
        (double)m->kept_tokens);
    put(out, "generated_tokens_total", counter, "Tokens written.", (double)m->made_tokens);
    put(out, "waited_seconds_total", counter, "Time spent in the queue.", m->waited_seconds);
    put(out, "prompt_seconds_total", counter, "Time spent on prompts.", m->prompt_seconds);
    fprintf(out,
            "# HELP llmc_first_token_seconds Time from a prompt's start to the first token.\n"
            "# TYPE llmc_first_token_seconds summary\n"
            "llmc_first_token_seconds_sum %.17g\nllmc_first_token_seconds_count %llu\n",
            m->first_seconds, (unsigned long long)m->firsts);
    put(out, "decode_steps_total", counter, "Tokens that decode_seconds_total is for: all but each answer's first.",
        (double)m->steps);
    put(out, "decode_seconds_total", counter, "Time spent on these.", m->decode_seconds);
    put(out, "decode_floor_seconds_total", counter,
        "Time that streaming their bytes takes at least, at the contexts they had: over decode_seconds_total, the "
        "share of "
        "the floor.",
        m->floor_seconds);
    put(out, "requests_running", gauge, "1: the model is writing.", now->running);
    put(out, "requests_waiting", gauge, "Requests in the queue.", now->waiting);
    put(out, "connections", gauge, "Open connections.", now->connections);
    put(out, "context_tokens", gauge, "Tokens the context holds.", now->context);
    put(out, "context_used_tokens", gauge, "Tokens in it since the last answer.", now->context_used);
    put(out, "uptime_seconds", gauge, "Time since the server started.", now_seconds() - m->started);
    pthread_mutex_unlock(&m->lock);
}
