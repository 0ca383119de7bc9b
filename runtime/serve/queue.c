// queue.c: the requests that wait for the model, and how its text gets back to their threads.
#include "queue.h"
#include "../rt_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static const long moment_ns = 50000000; // how soon a client that went is noticed

bool queue_open(Queue *q)
{
    memset(q, 0, sizeof *q);
    q->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    return q->wake >= 0 && pthread_mutex_init(&q->lock, NULL) == 0;
}

void queue_close(Queue *q)
{
    close(q->wake);
    pthread_mutex_destroy(&q->lock);
}

void job_init(Job *job)
{
    pthread_condattr_t monotonic;
    memset(job, 0, sizeof *job);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&job->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void job_free(Job *job)
{
    pthread_cond_destroy(&job->changed);
    free(job->ids);
    free(job->text);
    logprobs_free(&job->logprobs);
}

// ---- for the threads of connections ------------------------------------------------------------------------------

bool queue_full(Queue *q)
{
    pthread_mutex_lock(&q->lock);
    const bool full = q->waiting >= QUEUE_MOST || q->closed;
    pthread_mutex_unlock(&q->lock);
    return full;
}

bool queue_add(Queue *q, Job *job)
{
    const uint64_t one = 1;
    pthread_mutex_lock(&q->lock);
    const bool room = q->waiting < QUEUE_MOST && !q->closed;
    if (room) {
        Job **at = &q->first;
        while (*at)
            at = &(*at)->next;
        *at = job;
        job->next = NULL;
        job->state = JOB_WAITING;
        job->added = now_seconds();
        ++q->waiting;
    }
    pthread_mutex_unlock(&q->lock);
    return room && write(q->wake, &one, sizeof one) == sizeof one;
}

JobState queue_wait(Queue *q, Job *job, size_t seen)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += moment_ns;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&q->lock);
    int late = 0;
    while (job->state != JOB_DONE && job->text_bytes <= seen && !late)
        late = pthread_cond_timedwait(&job->changed, &q->lock, &until);
    const JobState state = job->state;
    pthread_mutex_unlock(&q->lock);
    return state;
}

bool queue_has_text(Queue *q, const Job *job, size_t seen)
{
    pthread_mutex_lock(&q->lock);
    const bool more = job->text_bytes > seen;
    pthread_mutex_unlock(&q->lock);
    return more;
}

char *queue_text(Queue *q, Job *job, size_t seen, size_t *bytes)
{
    char *copy = NULL;
    pthread_mutex_lock(&q->lock);
    *bytes = job->text_bytes - seen;
    if (*bytes)
        copy = malloc(*bytes);
    if (copy)
        memcpy(copy, job->text + seen, *bytes);
    pthread_mutex_unlock(&q->lock);
    return copy;
}

bool queue_told(Queue *q, const Job *job, size_t seen, Logprobs *copy)
{
    bool whole = true;
    *copy = (Logprobs){ .most = job->sampling.logprobs };
    pthread_mutex_lock(&q->lock);
    for (size_t i = seen; i < job->logprobs.n; ++i)
        whole = whole && logprobs_add(copy, job->logprobs.at[i].id, &job->logprobs.at[i].told);
    pthread_mutex_unlock(&q->lock);
    return whole;
}

void queue_cancel(Queue *q, Job *job)
{
    pthread_mutex_lock(&q->lock);
    __atomic_store_n(&job->cancelled, true, __ATOMIC_RELAXED);
    for (Job **at = &q->first; *at && job->state == JOB_WAITING; at = &(*at)->next)
        if (*at == job) {
            *at = job->next;
            --q->waiting;
            job->state = JOB_DONE;
            break;
        }
    while (job->state == JOB_RUNNING)
        pthread_cond_wait(&job->changed, &q->lock);
    pthread_mutex_unlock(&q->lock);
}

void queue_now(Queue *q, int *waiting, int *running)
{
    pthread_mutex_lock(&q->lock);
    *waiting = q->waiting;
    *running = q->running != NULL;
    pthread_mutex_unlock(&q->lock);
}

// ---- for the model's thread --------------------------------------------------------------------------------------

Job *queue_take(Queue *q)
{
    uint64_t one;
    const ssize_t got = read(q->wake, &one, sizeof one); // what was cancelled has left its count behind
    (void)got;
    pthread_mutex_lock(&q->lock);
    Job *job = q->first;
    if (job) {
        q->first = job->next;
        --q->waiting;
        job->state = JOB_RUNNING;
        job->waited_seconds = now_seconds() - job->added;
        q->running = job;
    }
    pthread_mutex_unlock(&q->lock);
    return job;
}

bool queue_put_told(Queue *q, Job *job, uint32_t id, const Told *told)
{
    pthread_mutex_lock(&q->lock);
    const bool fits = logprobs_add(&job->logprobs, id, told);
    pthread_mutex_unlock(&q->lock);
    return fits;
}

bool queue_put_text(Queue *q, Job *job, const char *text, size_t bytes)
{
    pthread_mutex_lock(&q->lock);
    if (bytes > job->text_room - job->text_bytes) {
        const size_t room = 2 * job->text_room + bytes + 256;
        char *more = realloc(job->text, room);
        if (more) {
            job->text = more;
            job->text_room = room;
        }
    }
    const bool fits = bytes <= job->text_room - job->text_bytes;
    if (fits) {
        memcpy(job->text + job->text_bytes, text, bytes);
        job->text_bytes += bytes;
        pthread_cond_signal(&job->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return fits;
}

bool queue_cancelled(const Job *job)
{
    return __atomic_load_n(&job->cancelled, __ATOMIC_RELAXED);
}

static void finish(Job *job)
{
    job->state = JOB_DONE;
    pthread_cond_signal(&job->changed);
}

void queue_done(Queue *q, Job *job)
{
    pthread_mutex_lock(&q->lock);
    q->running = NULL;
    finish(job);
    pthread_mutex_unlock(&q->lock);
}

void queue_stop(Queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    for (Job *job = q->first; job; job = job->next) {
        job->stopped = true;
        finish(job);
    }
    q->first = NULL;
    q->waiting = 0;
    pthread_mutex_unlock(&q->lock);
}
