// cost.c: bytes and predicted time of each task, wave and token; the floor. Predictions change no code and no result.
#include "rules.h"

// The first weight byte of a task (of layer 0) and the bytes it streams, from its rows and the matrix table.
static void task_bytes(const Plan *p, const Schedule *s, Task *t)
{
    const Op *op = &p->graph->ops.at[t->op];
    const Kernel *k = plan_kernel(s, t->op);
    const Choice c = plan_choice(p, s, op);
    const char *first = op->kind == OP_FFN || op->kind == OP_GATED ? "gate" : op->kind == OP_GEMV ? "w" : NULL;
    const Matrix *m = first ? plan_matrix(p, graph_operand(op, first)) : NULL;
    const int row = m && m->layout == LAYOUT_FRAGMENTS ? t->worker * m->unit_rows : t->row; // a worker's first unit
    t->weight_at = m ? m->base + (int64_t)row * m->slice_cols * m->format->block_bytes : 0;
    const int most = rule_rows(p, s, op); // a plan that is read has no proof yet
    t->bytes = k->kind->bytes(op, p->graph, &c, t->rows < most ? t->rows : most);
}

// Time of a wave in microseconds: its busiest worker, at the rate that so many active workers draw, and the sync behind it.
static double wave_us(const Plan *p, const Schedule *s, const Wave *w)
{
    int64_t most = 0;
    int active = 0;
    int64_t *load = arena_alloc(p->arena, (size_t)s->workers * sizeof *load);
    for (int i = w->first_task; i < w->first_task + w->tasks; ++i)
        if (s->tasks.at[i].worker >= 0 && s->tasks.at[i].worker < s->workers)
            load[s->tasks.at[i].worker] += s->tasks.at[i].bytes;
    for (int i = 0; i < s->workers; ++i) {
        most = load[i] > most ? load[i] : most;
        active += load[i] > 0;
    }
    // One worker alone draws about twice its even share, and 30 GB/s at least (RTX 3050).
    const double fair = 2.0 * p->target->dram_gbs / p->target->sms, alone = fair > 30.0 ? fair : 30.0;
    const double rate = active * alone < p->target->dram_gbs ? active * alone : p->target->dram_gbs;
    return (active ? (double)most * active / (rate * 1e3) : 0.0) + p->target->barrier_us;
}

static double token_us(const Schedule *s)
{
    double us = 0;
    for (int i = 0; i < s->waves.n; ++i) {
        int times = 1;
        for (int r = 0; r < s->repeats.n; ++r)
            if (i >= s->repeats.at[r].first_wave && i < s->repeats.at[r].first_wave + s->repeats.at[r].waves)
                times = s->repeats.at[r].layers;
        us += times * s->waves.at[i].us;
    }
    return us;
}

void plan_cost(Plan *p)
{
    for (int i = 0; i < p->schedules.n; ++i) {
        Schedule *s = &p->schedules.at[i];
        for (int k = 0; k < s->tasks.n; ++k)
            task_bytes(p, s, &s->tasks.at[k]);
        for (int k = 0; k < s->waves.n; ++k)
            s->waves.at[k].us = wave_us(p, s, &s->waves.at[k]);
        s->us = token_us(s);
    }
}

int64_t plan_floor_bytes(const Plan *p, int ctx)
{
    return p->token_bytes + (int64_t)ctx * plan_kv_position_bytes(p);
}

double plan_floor_us(const Plan *p, int ctx)
{
    return (double)plan_floor_bytes(p, ctx) / (p->target->dram_gbs * 1e3);
}
