// wave.c: order tasks into waves between syncs, and roll the layers.
#include "plan.h"

#include "../kernels/split.h"

// Bytes under way make every exchange slower (H200: 16, 32, 48, 96 KB a worker: 1.3, 1.8, 2.5, 5.3 us), and too few do not
// saturate the memory. Those under way while a worker waits for its inputs are, but for a tile or two, of the wave's first slots, as
// many as the ring has: of these 32 KB in the small waves around attention and in a feed-forward whose rows are one chunk, else 40 KB
// (H200, 32 instead of 40: Llama 3.2 1B +0.5%, SmolLM2 +3%, the larger ones -0.4%); 64 KB in the head, which nothing follows that waits.
static int first_window(const Plan *p, const Schedule *s, const Op *op)
{
    const Choice c = plan_choice(p, s, op);
    const int chunks = op->kind == OP_ATTEND ? 1 : split_chunks(split_cols(op, p->graph));
    const bool small = op->kind == OP_ATTEND || (op->kind == OP_GATED && chunks == 1) || split_most(op, p->graph, &c) * chunks < 8;
    return (op->layer < 0 ? 8 : small ? 4 : 5) * SPLIT_COPY_BYTES;
}

// A window counts copies as if all were whole: where rows of several chunks end in a shorter one, so many more may be under way.
// The ring, once it has its place, may hold fewer.
static int whole_copies(const Plan *p, const Op *op, int window)
{
    const int cols = op->kind == OP_ATTEND ? 0 : split_cols(op, p->graph), chunks = split_chunks(cols);
    return chunks > 1 ? (int)((int64_t)window * chunks * SPLIT_CHUNK / cols / SPLIT_COPY_BYTES * SPLIT_COPY_BYTES) : window;
}

// Behind them 64 KB (H200, at context 1, 40 and 64 KB: Llama 3.2 3B 89.7 and 92.9% of the floor, Llama 3.1 8B 96.3 and 97.9%;
// more is no faster).
static void set_windows(const Plan *p, const Schedule *s, const Op *op, Wave *w)
{
    if (s->feed != FEED_BULK || (op->kind != OP_GEMV && op->kind != OP_GATED && op->kind != OP_ATTEND))
        return;
    w->window = whole_copies(p, op, first_window(p, s, op));
    w->wide = whole_copies(p, op, 8 * SPLIT_COPY_BYTES);
}

// One wave an op, in the graph's order: each of Llama's ops reads what the one before it wrote.
static void add_wave(Plan *p, Schedule *s, const Kernel *k, int *task)
{
    const Op *op = &p->graph->ops.at[k->op];
    Wave w = { .what = op->what, .op = k->op, .first_task = *task, .sync = s->sync, .scope = SCOPE_GPU };
    set_windows(p, s, op, &w);
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
