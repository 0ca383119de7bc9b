// metrics.h: what the server has done so far, as Prometheus reads it.
#pragma once
#include "queue.h"

enum {
    METRIC_ROUTES = 8,
    METRIC_CODES = 20,
    METRIC_GONE = 499, // for a status: the client went before its answer
};

typedef struct Metrics {
    pthread_mutex_t lock;
    const char *routes[METRIC_ROUTES]; // names; NULL: not used yet
    unsigned codes[METRIC_CODES];      // HTTP; 0: not used yet
    uint64_t answered[METRIC_ROUTES][METRIC_CODES];
    uint64_t prompt_tokens, kept_tokens, made_tokens, steps, cancelled, faults;
    double waited_seconds, prompt_seconds, first_seconds, decode_seconds, floor_seconds;
    uint64_t jobs, firsts;
    double started;
} Metrics;

void metrics_open(Metrics *m);
void metrics_close(Metrics *m);

// A request was answered with this status.
void metrics_answer(Metrics *m, const char *route, unsigned status);
// The model has done a job.
void metrics_job(Metrics *m, const Job *job, double floor_seconds);

// What is so at this moment comes with it.
typedef struct MetricsNow {
    int connections, waiting, running, context, context_used;
} MetricsNow;
void metrics_write(Metrics *m, const MetricsNow *now, FILE *out);
