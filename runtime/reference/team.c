// team.c: threads that take items until none is left; one start for each work.
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <unistd.h>

enum {
    MEMBER_COST = 1 << 14, // multiply-adds for which a member is worth its start: some 30 us for 10 to 20
    CHUNKS = 8,            // a member takes: those that are slowed down take fewer
};

typedef struct Job {
    TeamWork *work;
    void *context;
    int items, chunk, next;
} Job;

typedef struct Member {
    pthread_t thread;
    Job *job;
    int number;
} Member;

int team_members(void)
{
    cpu_set_t set;
    const long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > TEAM_MOST ? TEAM_MOST : (int)n;
}

static void *take(void *context)
{
    const Member *m = context;
    Job *job = m->job;
    for (;;) {
        const int first = __atomic_fetch_add(&job->next, job->chunk, __ATOMIC_RELAXED);
        if (first >= job->items)
            return NULL;
        job->work(job->context, m->number, first, job->items - first < job->chunk ? job->items : first + job->chunk);
    }
}

void team_run(int members, int items, int cost, TeamWork *work, void *context)
{
    const int64_t worth = (int64_t)items * cost / MEMBER_COST;
    int n = members < TEAM_MOST ? members : TEAM_MOST, started = 1;
    n = worth < n ? (int)worth : n;
    n = n < 1 ? 1 : n;
    Job job = { work, context, items, n == 1 ? items : 1 + (items - 1) / (n * CHUNKS), 0 };
    Member member[TEAM_MOST];
    for (int i = 0; i < n; ++i)
        member[i] = (Member){ .job = &job, .number = i };
    while (started < n && pthread_create(&member[started].thread, NULL, take, &member[started]) == 0)
        ++started;
    take(&member[0]);
    for (int i = 1; i < started; ++i)
        pthread_join(member[i].thread, NULL);
}
