// queue.h: the requests that wait for the model, one of which it answers at a time; how its text gets back to their threads.
#pragma once
#include "../cli_stats.h"
#include "../logprobs.h"
#include "../sampling.h"

#include <pthread.h>

enum { QUEUE_MOST = 16 }; // that wait while one is answered

typedef enum JobState { JOB_NEW, JOB_WAITING, JOB_RUNNING, JOB_DONE } JobState;

// A request and its answer. It belongs to the thread of its connection; the model's thread may look at it from queue_add
// until it is JOB_DONE.
typedef struct Job {
    // What is asked for.
    uint32_t *ids; // [n], malloc'ed
    int n;
    int most; // -1: until the text ends
    Sampling sampling; // its biases are the asker's
    StopStrings stops;

    // What becomes of it; under the queue's lock until it is done.
    JobState state;
    bool cancelled; // nobody waits for it
    char *text;     // so far; grows
    size_t text_bytes, text_room;
    Logprobs logprobs; // of the ids so far, where sampling.told; of those that are text
    RtStatus status; // RT_FAILED: error
    RtError error;
    bool stopped;    // the server stops
    Stats stats;     // prompt_tokens are those that were not kept
    int kept;        // tokens of the prompt that the context had already
    GenerateEnd end;
    double waited_seconds;
    double added; // when it came
    pthread_cond_t changed;
    struct Job *next;
} Job;

typedef struct Queue {
    pthread_mutex_t lock;
    Job *first, *running;
    int waiting;
    bool closed; // nothing is taken any more
    int wake;    // an eventfd that is readable while jobs wait
} Queue;

bool queue_open(Queue *q);
// Nobody waits in it any more.
void queue_close(Queue *q);

void job_init(Job *job);
void job_free(Job *job);

// For the threads of connections.
bool queue_full(Queue *q);
bool queue_add(Queue *q, Job *job); // false: full, or closed
// Waits until there is more text than `seen` bytes, the job is done, or a moment has passed. Takes the state at that time.
JobState queue_wait(Queue *q, Job *job, size_t seen);
bool queue_has_text(Queue *q, const Job *job, size_t seen); // more than `seen` bytes of it
// What was written behind `seen`, malloc'ed; NULL: nothing (*bytes 0) or no memory.
char *queue_text(Queue *q, Job *job, size_t seen, size_t *bytes);
// What was told behind entry `seen`, to be freed. false: no memory.
bool queue_told(Queue *q, const Job *job, size_t seen, Logprobs *copy);
// Nobody waits for it any more: takes it out of the queue, or stops the model and waits until it has let go.
void queue_cancel(Queue *q, Job *job);

void queue_now(Queue *q, int *waiting, int *running);

// For the model's thread.
Job *queue_take(Queue *q); // the oldest, JOB_RUNNING from here on; NULL: none
bool queue_put_told(Queue *q, Job *job, uint32_t id, const Told *told); // false: no memory
bool queue_put_text(Queue *q, Job *job, const char *text, size_t bytes); // false: no memory
bool queue_cancelled(const Job *job);
void queue_done(Queue *q, Job *job);
// The server stops: takes nothing any more, and ends every job that waits.
void queue_stop(Queue *q);
