// plan.c: a new plan: its context, its schedules and how many context parts each has; and what later passes ask.
#include "plan_json.h"

#include "../kernels/split.h"

int64_t plan_kv_position_bytes(const Plan *p)
{
    const Model *m = p->model;
    return 2ll * m->layers * m->kv_heads * p->kv.row_bytes;
}

// Positions that `percent` of the target's memory hold beside the weights (with 2% for padding and 64 MB for the rest of the
// state), in steps of 128.
static int64_t fitting_context(const Plan *p, int percent)
{
    const int64_t room = p->target->dram_bytes / 100 * percent - p->parameter_bytes / 100 * 102 - (64 << 20);
    const int64_t position_bytes = plan_kv_position_bytes(p) + 4ll * p->model->head_dim + 4; // angles, id
    return room < 0 ? 0 : room / position_bytes / 128 * 128;
}

// --ctx, or the model's maximum, or what 90% of the memory holds.
static int choose_context(const Plan *p, int asked)
{
    const Model *m = p->model;
    if (asked > m->max_tokens)
        error_at(m->at, ERR_CONTEXT_FULL, "--ctx %d is over the model's maximum of %d positions", asked, m->max_tokens);
    const int64_t fits = fitting_context(p, asked ? 100 : 90);
    if (fits == 0)
        error_at(NOWHERE, ERR_DEVICE_MEMORY, "%s needs %s bytes for its weights, and room to work in; %s has %s", m->name,
                 str_count(p->arena, p->parameter_bytes), p->target->name, str_count(p->arena, p->target->dram_bytes));
    if (asked > fits)
        error_at(loc_hint(NOWHERE, str_format(p->arena, "--ctx %lld fits", (long long)fits)), ERR_DEVICE_MEMORY,
                 "a context of %s needs %s bytes of K/V beside %s of weights; %s has %s", str_count(p->arena, asked),
                 str_count(p->arena, asked * plan_kv_position_bytes(p)), str_count(p->arena, p->parameter_bytes), p->target->name,
                 str_count(p->arena, p->target->dram_bytes));
    return asked ? asked : fits < m->max_tokens ? (int)fits : m->max_tokens;
}

// Registers: a quarter of the multiprocessor's for each of its four schedulers, of which one has three of the nine warps.
static Schedule split_schedule(const Plan *p, int workers)
{
    return (Schedule){ .phase = PHASE_DECODE, .positions = 1, .workers = workers, .warps = SPLIT_WARPS,
                       .regs = p->target->regs_per_sm / 4 / ((SPLIT_THREADS / 32 + 3) / 4 * 32) / 8 * 8,
                       .sync = SYNC_PACKETS, .feed = FEED_BULK, .stages = SPLIT_STAGES };
}

// A schedule for each range of contexts with its own number of parts.
static void add_split_schedules(Plan *p)
{
    const int workers = p->options.workers ? p->options.workers : plan_split_workers(p);
    const int most = plan_split_most(p, workers);
    Schedule s = split_schedule(p, workers);
    const PartRanges r = p->options.parts ? (PartRanges){ 1, { p->options.parts }, { p->ctx } } : plan_part_ranges(p, &s, most);
    for (int i = 0; i < r.n; ++i) {
        s.name = str_format(p->arena, "decode_%d", r.last[i]);
        s.ctx_min = i ? r.last[i - 1] + 1 : 1;
        s.ctx_max = r.last[i];
        s.parts = r.parts[i];
        vec_push(p->arena, &p->schedules, s);
    }
}

static void add_schedule(Plan *p, int ctx_min, int ctx_max, int threads)
{
    const PlanOptions *o = &p->options;
    Schedule s = { .name = str_format(p->arena, "decode_%d", ctx_max), .phase = PHASE_DECODE, .positions = 1,
                   .ctx_min = ctx_min, .ctx_max = ctx_max, .workers = o->workers ? o->workers : p->target->sms,
                   .warps = threads / 32, .sync = o->sync < 0 ? SYNC_BARRIER : (Sync)o->sync,
                   .feed = o->feed < 0 ? FEED_PLAIN : (Feed)o->feed };
    const int regs = p->target->regs_per_sm / threads / 8 * 8; // ptxas gives registers in eights
    s.regs = regs < 255 ? regs : 255;
    s.parts = o->parts ? o->parts : 1;
    if (!o->parts && ctx_min > 1) // a context over PLAN_SHORT_CONTEXT is always split
        s.parts = plan_best_parts(p, &s, ctx_max < 8192 ? ctx_max : 8192);
    vec_push(p->arena, &p->schedules, s);
}

Plan *plan_new(Arena *a, const Graph *g, const Target *t, const PlanOptions *o)
{
    Plan *p = arena_alloc(a, sizeof *p);
    *p = (Plan){ .arena = a, .model = g->model, .target = t, .graph = g, .options = *o };
    const bool split = graph_is_split(g);
    p->poll_limit = o->poll_limit ? o->poll_limit : split ? PLAN_POLL_PACKETS : PLAN_POLL_LIMIT;
    plan_count_weights(p);
    p->kv.k = p->kv.v = o->kv;
    p->kv.row_bytes = (g->model->head_dim + 7) / 8 * 8 * kv_bytes(o->kv);
    p->ctx = choose_context(p, o->ctx);
    if (split) {
        add_split_schedules(p);
        return p;
    }
    const int threads = o->threads ? o->threads : t->worker_threads;
    if (p->ctx > PLAN_SHORT_CONTEXT) {
        add_schedule(p, 1, PLAN_SHORT_CONTEXT, threads);
        add_schedule(p, PLAN_SHORT_CONTEXT + 1, p->ctx, threads);
    } else {
        add_schedule(p, 1, p->ctx, threads);
    }
    return p;
}

void plan_make(Plan *p)
{
    plan_tile(p);
    plan_assign(p);
    plan_waves(p);
    plan_memory(p);
    plan_cost(p);
    plan_finish(p);
}

const Schedule *plan_schedule(const Plan *p, int ctx)
{
    int i = 0;
    while (i < p->schedules.n - 1 && p->schedules.at[i].ctx_max < ctx)
        ++i;
    return &p->schedules.at[i];
}

int plan_wave_times(const Schedule *s, int wave)
{
    for (int r = 0; r < s->repeats.n; ++r)
        if (wave >= s->repeats.at[r].first_wave && wave < s->repeats.at[r].first_wave + s->repeats.at[r].waves)
            return s->repeats.at[r].layers;
    return 1;
}

// A plan that is read has no proof yet: its workers may be any.
WaveLoad plan_wave_load(const Plan *p, const Schedule *s, const Wave *w)
{
    const size_t workers = s->workers > 0 ? (size_t)s->workers : 0;
    WaveLoad l = { .of = arena_alloc(p->arena, workers * sizeof *l.of), .works = arena_alloc(p->arena, workers * sizeof *l.works) };
    for (int i = w->first_task; i < w->first_task + w->tasks; ++i) {
        const Task *t = &s->tasks.at[i];
        if (t->worker < 0 || t->worker >= s->workers)
            continue;
        l.of[t->worker] += t->bytes;
        l.works[t->worker] = true;
    }
    for (size_t i = 0; i < workers; ++i) {
        l.most = l.of[i] > l.most ? l.of[i] : l.most;
        l.all += l.of[i];
        l.active += l.of[i] > 0;
    }
    return l;
}

int plan_token_waves(const Schedule *s)
{
    int waves = s->waves.n;
    for (int i = 0; i < s->repeats.n; ++i)
        waves += s->repeats.at[i].waves * (s->repeats.at[i].layers - 1);
    return waves;
}

const Matrix *plan_matrix(const Plan *p, int tensor)
{
    for (int i = 0; i < p->matrices.n; ++i)
        if (p->matrices.at[i].tensor == tensor)
            return &p->matrices.at[i];
    return NULL;
}

const NormMap *plan_norm(const Plan *p, int tensor)
{
    for (int i = 0; i < p->norms.n; ++i)
        if (p->norms.at[i].tensor == tensor)
            return &p->norms.at[i];
    return NULL;
}

const Buffer *plan_buffer(const Schedule *s, const char *name)
{
    for (int i = 0; i < s->buffers.n; ++i)
        if (str_equal(s->buffers.at[i].name, name))
            return &s->buffers.at[i];
    return NULL;
}

const Kernel *plan_kernel(const Schedule *s, int op)
{
    for (int i = 0; i < s->kernels.n; ++i)
        if (s->kernels.at[i].op == op)
            return &s->kernels.at[i];
    return NULL;
}

Choice plan_choice(const Plan *p, const Schedule *s, const Op *op)
{
    static const char *const firsts[] = { "down", "table", "w" };
    Choice c = { .ctx = s->ctx_max, .positions = s->positions, .workers = s->workers, .warps = s->warps, .regs = s->regs,
                 .parts = s->parts, .kv = p->kv.k, .sync = s->sync, .feed = s->feed };
    for (int i = 0; i < ARRAY_LEN(firsts) && !c.matrix; ++i)
        if (op_slot(op->kind, firsts[i]) >= 0)
            c.matrix = plan_matrix(p, graph_operand(op, firsts[i]));
    return c;
}

bool plan_is_planned(const Op *op)
{
    return op->layer <= 0; // layers stay rolled: the ops of layer 0 stand for all
}
