// tasks.c: tasks MODELS [PLAN..]: who does what by the rendered text is who does what by the plan: the rule or table that the
// text has for each wave, expanded for every worker, for many models and targets, and for plans given as files.
#include "../plan/plans.h"

#include "../../compiler/base/file.h"
#include "../../compiler/render/render.h"
#include "../../runtime/package.h"

enum { MOST_TASKS = 64 }; // of one worker in one wave

typedef struct List {
    int n, first[MOST_TASKS], last[MOST_TASKS]; // rows, or the numbers of attention's tasks
} List;

// The entry's text, up to the end of the function.
static const char *entry_text(Arena *a, const char *source, const char *entry)
{
    const char *at = strstr(source, str_format(a, "\n%s(const uint4*", entry));
    const char *end = at ? strstr(at, "\n}\n") : NULL;
    ASSERT(end != NULL);
    return end ? str_copy(a, at, (size_t)(end - at)) : "";
}

// Of a choice by context, "if (position < N) {..} else if ..", what a schedule does; else the text.
static const char *branch_text(Arena *a, const Schedule *s, const char *text)
{
    const char *at = strstr(text, "if (position < ");
    while (at && atoi(at + strlen("if (position < ")) < s->ctx_max) {
        const char *next = strstr(at, "} else ");
        ASSERT(next != NULL);
        text = at = next ? next + strlen("} else ") : "";
        if (strncmp(at, "if (position < ", strlen("if (position < ")) != 0)
            return text;
    }
    const char *end = at ? strstr(at, "} else ") : NULL;
    return end ? str_copy(a, at, (size_t)(end - at)) : text;
}

// The n-th wave of an entry, as a schedule has it.
static const char *wave_text(Arena *a, const Schedule *s, const char *entry, int n)
{
    const char *at = entry;
    for (int i = 0; at && i <= n; ++i)
        at = strstr(at + 1, "// wave ");
    const char *end = at ? strstr(at, "grid_sync(") : NULL;
    ASSERT(end != NULL);
    return end ? branch_text(a, s, str_copy(a, at, (size_t)(end - at))) : "";
}

// Two schedules whose functions differ have the second's longest context in its name.
static const char *function_name(Arena *a, const Schedule *s, const Kernel *k, const char *wave)
{
    const char *longer = str_format(a, "%s_%d", k->name, s->ctx_max);
    if (strstr(wave, str_format(a, " %s(", longer)))
        return longer;
    ASSERT(strstr(wave, str_format(a, " %s(", k->name)) != NULL);
    return k->name;
}

static const char *function_text(Arena *a, const char *source, const char *name)
{
    const char *at = strstr(source, str_format(a, " void %s(", name));
    const char *end = at ? strstr(at, "\n}\n") : NULL;
    ASSERT(end != NULL);
    return end ? str_copy(a, at, (size_t)(end - at)) : "";
}

// Number i of a table "NAME..= { 1, 2, .. }", whatever braces are inside.
static int table_entry(const char *source, const char *name, int i)
{
    const char *at = strstr(source, name);
    at = at ? strchr(at, '{') : NULL;
    while (at && (*at < '0' || *at > '9' || i-- > 0)) {
        at += strspn(at, "0123456789");
        at += strcspn(at, "0123456789");
    }
    ASSERT(at != NULL);
    return at ? atoi(at) : -1;
}

// "worker < N" of a wave; without it every worker takes part.
static int workers_of(const Schedule *s, const char *wave)
{
    const char *at = strstr(wave, "worker < ");
    return at ? atoi(at + strlen("worker < ")) : s->workers;
}

static void add(List *list, int first, int last)
{
    if (first == last || list->n == MOST_TASKS)
        return;
    list->first[list->n] = first;
    list->last[list->n++] = last;
}

static List attention_by_text(Arena *a, const char *source, const Schedule *s, const char *wave, const char *name, int worker)
{
    List list = { 0 };
    const char *loop = strstr(wave, "for (int task = worker; task < ");
    if (strstr(wave, "_begin[worker]")) {
        const char *begin = str_format(a, " %s_begin[", name), *tasks = str_format(a, " %s_tasks[", name);
        for (int i = table_entry(source, begin, worker); i < table_entry(source, begin, worker + 1); ++i)
            add(&list, table_entry(source, tasks, i), table_entry(source, tasks, i) + 1);
    } else if (loop) {
        const int tasks = atoi(loop + strlen("for (int task = worker; task < "));
        const int step = atoi(strstr(loop, "task += ") + strlen("task += "));
        for (int task = worker; task < tasks; task += step)
            add(&list, task, task + 1);
    } else if (worker < workers_of(s, wave)) {
        add(&list, worker, worker + 1);
    }
    return list;
}

static List rows_by_text(Arena *a, const char *source, const Schedule *s, const char *wave, const char *name, int worker, int all)
{
    List list = { 0 };
    const char *function = function_text(a, source, name), *rule = strstr(function, "const int first = ");
    int units, tasks, granule = 1;
    if (worker >= workers_of(s, wave))
        return list;
    if (!rule) // embed and select: one worker does all
        add(&list, 0, all);
    else if (strstr(rule, str_format(a, "%s_rows[worker][0], last = %s_rows[worker][1];", name, name)))
        add(&list, table_entry(source, str_format(a, " %s_rows[", name), 2 * worker),
            table_entry(source, str_format(a, " %s_rows[", name), 2 * worker + 1));
    else if (sscanf(rule, "const int first = worker * %d / %d * %d", &units, &tasks, &granule) >= 2)
        add(&list, worker * units / tasks * granule, (worker + 1) * units / tasks * granule);
    else
        ASSERT(!"a rule that is known");
    return list;
}

static List by_plan(const Schedule *s, const Wave *w, OpKind kind, int worker)
{
    List list = { 0 };
    for (int i = w->first_task; i < w->first_task + w->tasks; ++i) {
        const Task *t = &s->tasks.at[i];
        if (t->worker == worker && kind == OP_ATTEND)
            add(&list, t->row * s->parts + t->part, t->row * s->parts + t->part + 1);
        else if (t->worker == worker)
            add(&list, t->row, t->row + t->rows);
    }
    return list;
}

static void check_wave(const Plan *p, const Schedule *s, const char *source, const char *entry, int index)
{
    Arena *a = p->arena;
    const Wave *w = &s->waves.at[index];
    const Op *op = &p->graph->ops.at[w->op];
    const char *wave = wave_text(a, s, entry, index), *name = function_name(a, s, plan_kernel(s, w->op), wave);
    for (int worker = 0; worker < s->workers; ++worker) {
        const List want = by_plan(s, w, op->kind, worker);
        const List got = op->kind == OP_ATTEND ? attention_by_text(a, source, s, wave, name, worker)
                                               : rows_by_text(a, source, s, wave, name, worker, p->graph->tensors.at[op->out[0]].rows);
        if (memcmp(&want, &got, sizeof want) == 0)
            continue;
        printf("%s on %s, %s, wave %d (%s), worker %d: the plan has %d task(s) from %d, the text %d from %d\n", p->model->name,
               p->target->name, s->name, index, name, worker, want.n, want.n ? want.first[0] : -1, got.n, got.n ? got.first[0] : -1);
        test_failed = 1;
        return;
    }
}

// The pure read that measures the floor covers every matrix a token streams once, and no looked-up embedding.
static void check_read(const Plan *p, const char *source)
{
    const int table = graph_operand(&p->graph->ops.at[0], "table");
    const char *at = strstr(source, "\nread_weights(");
    long long from, to, words = 0;
    int covered = 0, wanted = 0;
    ASSERT(at != NULL);
    while (at && (at = strstr(at, "for ("))) {
        const char *type = str_starts(at, "for (long long i") ? "for (long long i = %lld + blockIdx.x" : "for (int i = %lld + blockIdx.x";
        if (sscanf(at, type, &from) == 1 && sscanf(strstr(at, "; i < "), "; i < %lld", &to) == 1) {
            words += to - from;
            for (int i = 0; i < p->matrices.n; ++i)
                for (int layer = 0; layer < p->matrices.at[i].layers; ++layer) {
                    const Matrix *m = &p->matrices.at[i];
                    const long long first = (m->base + layer * m->layer_stride) / 16;
                    const bool looked_up = m->tensor == table && !p->model->tied_embedding;
                    covered += !looked_up && first >= from && first + m->bytes / 16 <= to;
                    ASSERT(!looked_up || first >= to || first + m->bytes / 16 <= from);
                }
        }
        ++at;
    }
    long long want = 0, gaps = 0;
    for (int i = 0; i < p->matrices.n; ++i)
        if (p->matrices.at[i].tensor != table || p->model->tied_embedding) {
            want += p->matrices.at[i].bytes / 16 * p->matrices.at[i].layers;
            gaps += 8 * p->matrices.at[i].layers;
            wanted += p->matrices.at[i].layers;
        }
    ASSERT_INT(wanted, covered);
    ASSERT(words >= want && words <= want + gaps);
}

static void check_plan(const Plan *p)
{
    const Source source = render_decode(p->arena, p, (RenderOptions){ .line = false });
    const Source again = render_decode(p->arena, p, (RenderOptions){ .line = false });
    ASSERT(source.bytes == again.bytes && memcmp(source.text, again.text, source.bytes) == 0);
    check_read(p, source.text);
    for (int i = 0; i < p->schedules.n; ++i) {
        const Schedule *s = &p->schedules.at[i];
        const char *entry = entry_text(p->arena, source.text, PKG_ENTRY);
        for (int w = 0; w < s->waves.n; ++w)
            check_wave(p, s, source.text, entry, w);
    }
}

static void check_file(const char *path)
{
    Arena *a = arena_new();
    Diags d = { .arena = a };
    const Bytes text = file_read(a, path);
    const Plan *p = plan_read_json(a, path, (const char *)text.at, text.bytes);
    plan_check(p, &d);
    ASSERT_INT(0, d.list.n);
    check_plan(p);
    arena_free(a);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *model, *target;
        int ctx, workers;
    } pairs[] = { { "tiny.json", "tiny-gpu", 2048, 0 },          { "tiny.json", "h200", 2048, 0 },
                  { "llama-3.2-1b.json", "rtx-3050", 8192, 0 },  { "llama-3.2-1b.json", "h200", 4096, 0 },
                  { "llama-3.2-1b.json", "t4", 1024, 0 },        { "llama-3.1-8b.json", "rtx-5090", 4096, 0 },
                  { "llama-2-7b.json", "rtx-4090", 4096, 0 },    { "smollm2-135m.json", "rtx-3050", 2048, 7 },
                  { "smollm2-360m.json", "a100", 2048, 0 },      { "tinyllama-1.1b.json", "rtx-3050", 2048, 3 } };
    if (argc < 2)
        return 2;
    setenv("LLMC_ARG_NO_WARN", ",balance,", 1);
    for (int i = 0; i < ARRAY_LEN(pairs); ++i) {
        Arena *a = arena_new();
        check_plan(plan_of(a, str_join(a, argv[1], pairs[i].model), pairs[i].target,
                           (PlanOptions){ .ctx = pairs[i].ctx, .workers = pairs[i].workers, .sync = SYNC_BARRIER, .feed = -1 })); // packets: rule 7
        arena_free(a);
    }
    for (int i = 2; i < argc; ++i)
        check_file(argv[i]);
    return test_failed;
}
