// wave.c: order tasks into waves between syncs, and roll the layers.
#include "plan.h"

// One wave an op, in the graph's order: each of Llama's ops reads what the one before it wrote.
static void add_wave(Plan *p, Schedule *s, const Kernel *k, int *task)
{
    const Op *op = &p->graph->ops.at[k->op];
    Wave w = { .what = op->what, .op = k->op, .first_task = *task, .sync = s->sync, .scope = SCOPE_GPU };
    for (; *task < s->tasks.n && s->tasks.at[*task].op == k->op; ++*task) {
        s->tasks.at[*task].wave = s->waves.n;
        ++w.tasks;
    }
    vec_push(p->arena, &s->waves, w);
}

static void add_repeat(Plan *p, Schedule *s)
{
    Repeat r = { .layers = p->model->layers };
    for (int i = 0; i < s->waves.n; ++i)
        if (p->graph->ops.at[s->waves.at[i].op].layer == 0) {
            r.first_wave = r.waves ? r.first_wave : i;
            ++r.waves;
        }
    vec_push(p->arena, &s->repeats, r);
}

void plan_waves(Plan *p)
{
    for (int i = 0; i < p->schedules.n; ++i) {
        Schedule *s = &p->schedules.at[i];
        int task = 0;
        for (int k = 0; k < s->kernels.n; ++k)
            add_wave(p, s, &s->kernels.at[k], &task);
        add_repeat(p, s);
    }
}
