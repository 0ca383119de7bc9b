// cost.c: bytes of each task, and the time that waves and tokens are predicted to take; the floor.
//
// The model follows one worker, the one with most to read, slot by slot. A slot arrives when the memory has given it, at this
// worker's share of the rate that so many multiprocessors draw. It is used after the one before it, after its arrival, and
// after the wave's inputs are there: the sync of the wave before, which bytes in flight make slower.
// FEED_BULK asks for a slot as soon as the one `stages` before it is used, whatever the sync waits for; FEED_PLAIN asks for the
// wave's first when its inputs are there. What no transfer hides is what a token takes longer than its bytes.
#include "rules.h"

#include "../kernels/split.h"

#include <math.h>

// Constants of the kernels, the same for every card, fitted to the tokens and waves that an H200 was measured with (tests/plan/cost.c).
// Microseconds, and bytes a microsecond of one worker.
static const struct {
    double plain, plain_attend, refill, consume, attend, tile, wide, fence, swap, swap_part, select, merge;
} costs = {
    .plain = 2.16,           // of a barrier wave: norms before its loads, sums behind them
    .plain_attend = 23.95e3, // K and V that its attention multiplies while it loads none
    .refill = 3.77,          // latencies of the card, from a slot's use until it is full again
    .consume = 89.5e3,       // weights out of shared memory, multiplied
    .attend = 1.039,         // of a packet wave of attention, before and behind its tiles
    .tile = 0.3123,          // a tile of K or V of 64 dimensions, multiplied; of more, with the power 5/3 of their number
    .wide = 1.5,             // times as long, of more than four heads that share K and V
    .fence = 0.998,          // from the packets of attention to its end
    .swap = 0.4115,          // of a sync: parts of a context, merged by the workers that made them
    .swap_part = 0.0267,     // and for each part
    .select = 0.17,          // of a packet wave: the candidates compared
    .merge = 0.287,          // of a barrier wave: each part of a context, merged by each of its readers
};

enum { MOST_SLOTS = 4096 }; // of a wave that are followed one by one

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

// What a wave reads at a context.
typedef struct Load {
    double most, all; // bytes of the busiest worker, and of all
    int active;       // workers that read
} Load;

static Load load_of(const Plan *p, const Schedule *s, const Wave *w, int ctx)
{
    const double share = p->graph->ops.at[w->op].kind == OP_ATTEND ? (double)ctx / s->ctx_max : 1;
    const WaveLoad l = plan_wave_load(p, s, w);
    return (Load){ share * (double)l.most, share * (double)l.all, l.active };
}

// Bytes a microsecond that `active` multiprocessors draw together. Where no curve is known, one alone draws about twice its
// even share, and 30 GB/s at least (RTX 3050).
static double rate_of(const Target *t, int active)
{
    const double fair = 2.0 * t->dram_gbs / t->sms, alone = active * (fair > 30.0 ? fair : 30.0);
    const double most = t->rate_by_sms.n ? target_curve(&t->rate_by_sms, active) : alone;
    return 1e3 * (most < t->dram_gbs ? most : t->dram_gbs);
}

static double latency_of(const Target *t)
{
    return t->dram_latency_ns > 0 ? t->dram_latency_ns / 1e3 : 0.8;
}

// From a wave's end until its readers have it, while the memory is `busy` (0 to 1) with the first slots of the wave that reads.
// Where no exchange was measured: what an H200 takes, in its barriers.
static double sync_us(const Target *t, const Wave *w, const Wave *reader, double busy)
{
    const double kib = reader->window / 1024.0 * busy;
    if (w->sync == SYNC_BARRIER)
        return t->barrier_us;
    return t->exchange_by_kib.n ? target_curve(&t->exchange_by_kib, kib) : t->barrier_us * (0.62 + 0.027 * kib);
}

// Where one worker stands in a token.
typedef struct Walk {
    double arrived, done, ready; // us: the last slot there, the wave done, the next wave's inputs there
    double slots[16];            // when each slot of the ring was used last
    int64_t next;                // slots so far
} Walk;

// Bytes of one slot; of a wave that reads more than MOST_SLOTS of them, of a larger one.
static double slot_bytes(const Plan *p, const Schedule *s, const Op *op, const Load *l)
{
    double bytes = SPLIT_SLOT_BYTES;
    if (s->feed == FEED_BULK && op->kind == OP_ATTEND)
        bytes = SPLIT_TILE * p->kv.row_bytes;
    else if (s->feed == FEED_BULK && (op->kind == OP_GEMV || op->kind == OP_GATED))
        bytes = 2.0 * SPLIT_ROWS * split_cols(op, p->graph) / split_chunks(split_cols(op, p->graph));
    return bytes > l->most / MOST_SLOTS ? bytes : l->most / MOST_SLOTS;
}

// One wave, at `rate` bytes a microsecond for this worker, while the memory is `busy`.
static void walk_wave(Walk *at, const Plan *p, const Schedule *s, const Wave *w, const Wave *next, const Load *l, double rate, double busy)
{
    const Op *op = &p->graph->ops.at[w->op];
    const Tensor *x = op->kind == OP_GEMV ? &p->graph->tensors.at[graph_operand(op, "x")] : NULL;
    const bool bulk = s->feed == FEED_BULK, attends = op->kind == OP_ATTEND;
    const int stages = s->stages > 0 && s->stages < ARRAY_LEN(at->slots) ? s->stages : ARRAY_LEN(at->slots);
    const double slot = slot_bytes(p, s, op, l), latency = latency_of(p->target);
    const double tile = costs.tile * pow(p->model->head_dim / 64.0, 5.0 / 3.0) * (p->model->heads > 4 * p->model->kv_heads ? costs.wide : 1);
    double use = at->ready;
    if (bulk)
        use += attends ? costs.attend : op->kind == OP_SELECT ? costs.select : 0;
    if (!bulk && x && x->cols > 1 && s->parts > 1)
        use += costs.merge * s->parts;
    if (!bulk)
        at->arrived = use + latency;
    for (double left = l->most; left > 0; left -= slot, ++at->next) {
        const double bytes = left < slot ? left : slot;
        double *used = &at->slots[at->next % stages];
        const double refilled = bulk && at->next >= stages ? *used + costs.refill * latency : 0;
        at->arrived += bytes / rate;
        at->arrived = at->arrived > refilled ? at->arrived : refilled;
        use = use > at->arrived ? use : at->arrived;
        if (bulk)
            use += attends ? tile : bytes / costs.consume;
        *used = use;
    }
    if (!bulk)
        use += (l->active ? costs.plain : 0) + (attends ? l->most / costs.plain_attend : 0);
    const double sync = sync_us(p->target, w, next, busy), fence = costs.fence < sync ? costs.fence : sync;
    if (bulk && attends && s->parts > 1)
        use += costs.swap * sync + costs.swap_part * s->parts;
    at->ready = use + sync;
    at->done = use + (bulk && attends ? fence : 0);
}

// The worker's share of the memory's rate in a wave. Of a ring all draw all the time, who has more to read draws more.
static double share_of(const Plan *p, const Schedule *s, const Load *l, double most, double all)
{
    if (s->feed == FEED_BULK)
        return all > 0 ? rate_of(p->target, s->workers) * most / all : 1;
    return l->active ? rate_of(p->target, l->active) * l->most / l->all : 1;
}

static double walk_token(const Plan *p, const Schedule *s, const Load *loads, double busy, double *us)
{
    Walk at = { 0 };
    double most = 0, all = 0;
    for (int i = 0; i < s->waves.n; ++i) {
        most += plan_wave_times(s, i) * loads[i].most;
        all += plan_wave_times(s, i) * loads[i].all;
        us[i] = 0;
    }
    for (int i = 0, waves; i < s->waves.n; i += waves) {
        const int times = plan_wave_times(s, i);
        for (waves = 1; times > 1 && i + waves < s->waves.n && plan_wave_times(s, i + waves) > 1;)
            ++waves;
        for (int n = 0; n < times * waves; ++n) {
            const int wave = i + n % waves;
            const double begun = at.done;
            const int next = i + (n + 1 < times * waves ? (n + 1) % waves : waves);
            walk_wave(&at, p, s, &s->waves.at[wave], &s->waves.at[next % s->waves.n], &loads[wave],
                      share_of(p, s, &loads[wave], most, all), busy);
            us[wave] += (at.done - begun) / times;
        }
    }
    if (s->waves.n)
        us[0] += at.ready - at.done; // a token begins when the one before has ended
    return at.ready;
}

double plan_wave_us(const Plan *p, const Schedule *s, int ctx, double *us)
{
    Load *loads = arena_alloc(p->arena, (size_t)s->waves.n * sizeof *loads);
    for (int i = 0; i < s->waves.n; ++i)
        loads[i] = load_of(p, s, &s->waves.at[i], ctx);
    double total = 0, busy = 1;
    for (int i = 0; i < 4; ++i) { // how busy the memory is depends on the time that syncs take beside it
        total = walk_token(p, s, loads, busy, us);
        busy = plan_floor_us(p, ctx) / total;
        busy = busy < 1 ? busy : 1;
    }
    return total;
}

double plan_sync_us(const Plan *p, const Schedule *s, int wave)
{
    const Repeat *r = &s->repeats.at[0];
    const int before = wave == r->first_wave && r->layers > 1 ? r->first_wave + r->waves - 1 : (wave + s->waves.n - 1) % s->waves.n;
    return sync_us(p->target, &s->waves.at[before], &s->waves.at[wave], 1);
}

void plan_cost(Plan *p)
{
    for (int i = 0; i < p->schedules.n; ++i) {
        Schedule *s = &p->schedules.at[i];
        for (int k = 0; k < s->tasks.n; ++k)
            task_bytes(p, s, &s->tasks.at[k]);
        double *us = arena_alloc(p->arena, (size_t)s->waves.n * sizeof *us);
        s->us = plan_wave_us(p, s, s->ctx_max, us);
        for (int k = 0; k < s->waves.n; ++k)
            s->waves.at[k].us = us[k];
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
