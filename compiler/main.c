// main.c: parses options and calls the passes in order, one line each, with a dump after each.
#include "options.h"

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/file.h"
#include "model/weights.h"
#include "render/measured.h"
#include "verbs.h"
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Where a compilation stands: its options, and the time of the last step for --time-report.
typedef struct Run {
    Arena *a;
    const Options *o;
    const char *target; // as given
    struct timespec last;
} Run;

static void step_done(Run *r, const char *what)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (r->o->time_report)
        fprintf(stderr, "time: %-8s %8.1f ms\n", what,
                (double)(now.tv_sec - r->last.tv_sec) * 1e3 + (double)(now.tv_nsec - r->last.tv_nsec) * 1e-6);
    r->last = now;
}

static bool wanted(const Run *r, const char *kind)
{
    for (int i = 0; i < r->o->emits.n; ++i)
        if (str_equal(r->o->emits.at[i], kind))
            return true;
    return false;
}

// What --emit can ask for, by the step that makes it. Without --emit: exe.
enum { STEP_MODEL, STEP_PLAN, STEP_RENDER, STEP_BUILD };
static const struct {
    const char *name;
    int step;
} kinds[] = { { "config", STEP_MODEL },   { "graph", STEP_MODEL }, { "fuse", STEP_MODEL }, { "plan", STEP_PLAN },
              { "plan.json", STEP_PLAN }, { "svg", STEP_PLAN }, { "cuda", STEP_RENDER }, { "map", STEP_RENDER }, { "cubin", STEP_BUILD },
              { "report", STEP_BUILD },   { "exe", STEP_BUILD },  { "lib", STEP_BUILD } };

static bool program_wanted(const Run *r)
{
    return r->o->emits.n == 0 || wanted(r, "exe");
}

// More than texts: what weights and tokenizer go with.
static bool whole(const Run *r)
{
    return program_wanted(r) || wanted(r, "lib");
}

// The last step that is asked for is done.
static bool finished(const Run *r, int step)
{
    for (int i = 0; i < ARRAY_LEN(kinds); ++i)
        if (kinds[i].step > step && wanted(r, kinds[i].name))
            return false;
    return r->o->emits.n > 0;
}

// Writes one dump when --emit asks for it: to -o, unless that names the program, or stdout.
static void dump(Run *r, const char *kind, const char *text, size_t bytes)
{
    step_done(r, kind);
    if (wanted(r, kind))
        file_write_text(r->a, whole(r) ? "-" : verb_text_output(r->a, r->o, r->target), text, bytes);
}

static void dump_str(Run *r, const char *kind, const Str *s)
{
    dump(r, kind, s->text, s->bytes);
}

// The plan as a picture; with --trace, what was measured over it.
static void dump_svg(Run *r, const Plan *p)
{
    Measured m;
    if (!wanted(r, "svg"))
        return;
    if (r->o->trace)
        m = measured_read(r->a, p, r->o->trace);
    const Str svg = render_timeline(r->a, p, r->o->trace ? &m : NULL, r->o->templates);
    dump_str(r, "svg", &svg);
}

static void check_done(const Diags *d)
{
    diag_exit_if_any(d);
}

// What to do where llmc's own plan breaks a rule.
static const char own_plan[] = "other --threads, --workers or --ctx give another plan; where none is given, please report this";

// --plan FILE: the plan as it stands there; the model given beside it must be the one it was made for.
static Plan *read_plan(Run *r, const Model *m)
{
    const Bytes text = file_read(r->a, r->o->plan_file);
    Plan *p = plan_read_json(r->a, r->o->plan_file, (const char *)text.at, text.bytes);
    if (m)
        verb_check_facts(r->a, m, p, r->o->plan_file);
    return p;
}

static Plan *make_plan(Run *r, Graph *g, const Target *t)
{
    Plan *p = plan_new(r->a, g, t, &r->o->plan);
    plan_tile(p);
    plan_assign(p);
    plan_waves(p);
    plan_memory(p);
    plan_cost(p);
    plan_finish(p);
    return p;
}

static Artifact build(Run *r, const Plan *p, const Source *s, const char *name)
{
    BuildOptions o = r->o->build;
    if (r->o->no_build)
        return (Artifact){ 0 };
    if (o.save_temps && !*o.save_temps)
        o.save_temps = str_format(r->a, "%s.temps", name);
    const Artifact art = build_any(r->a, s, p->target, &o);
    build_check(&art, p);
    return art;
}

static void write_outputs(Run *r, const Plan *p, const Artifact *art, const Model *m, const Tokenizer *t,
                          const Output *out)
{
    Outputs outputs = { 0 };
    verb_write_folder(r->a, r->o, out, &outputs);
    if (art->image && program_wanted(r))
        verb_write_program(r->a, r->o, p, out, art, m, t, &outputs);
    if (art->image && wanted(r, "lib"))
        verb_write_library(r->a, r->o, p, out, art, m, t, &outputs);
    step_done(r, "write");
    if (art->image && m && m->weights && !r->o->bundle) {
        OutFile *streams = weights_pack(r->a, p, m->weights, r->o->weights ? r->o->weights : m->path,
                                        str_format(r->a, "%s.llmw", out->name));
        vec_push(r->a, &outputs.files, streams);
        step_done(r, "pack");
    }
    verb_commit(&outputs);
    if (art->image)
        verb_say_made(r->a, r->o, p, out, art, m, t, program_wanted(r));
}

// The passes from a model to a proved plan, or the plan of --plan.
static Plan *plan_of(Run *r, Model *m)
{
    Arena *a = r->a;
    Diags d = { .arena = a };
    Str config = str_new(a), graph = str_new(a), fused = str_new(a);
    if (r->o->plan_file)
        return read_plan(r, m);
    const Target *t = target_load(a, r->target);
    verb_check_target(r->o, t);
    model_print(m, &config);                                      dump_str(r, "config", &config);
    Graph *g = graph_build(a, m);       graph_print(g, &graph);   dump_str(r, "graph", &graph);
    const bool split = plan_splits(g, t, &r->o->plan, &(const char *){ NULL });
    graph_fuse(g, !split);              graph_print(g, &fused);   dump_str(r, "fuse", &fused);
    graph_check(g, &d);                                           check_done(&d);
    return finished(r, STEP_MODEL) ? NULL : make_plan(r, g, t);
}

// One model for one target: the passes.
static void compile(Run *r)
{
    Arena *a = r->a;
    const Options *o = r->o;
    Diags d = { .arena = a };
    Str table = str_new(a), json = str_new(a), map = str_new(a), report = str_new(a);

    Model *m = o->operand ? model_load(a, o->operand) : NULL;
    verb_open_weights(a, o, m);
    if (o->bundle && whole(r) && !(m && m->weights))
        error_at(m ? loc_file(m->path) : NOWHERE, ERR_WEIGHTS_MISSING, "--bundle: there are no weights beside this %s",
                 m ? "config" : "plan");
    Plan *p = plan_of(r, m);
    if (!p)
        return;
    verb_want_sound(a, p, o->plan_file ? "correct the tasks named, or leave --plan out: llmc plans again" : own_plan);
    const char *name = verb_output_name(a, o, p->model->name, r->target);
    verb_check_target(o, p->target);
    if (wanted(r, "lib") && !o->build.dry_run)
        verb_check_library(a, o, name);
    if (whole(r) && !o->build.dry_run)
        verb_check_output(a, o, name, program_wanted(r), m && m->weights && !o->bundle);
    verb_check_weights(a, p->graph, m, &d);                           check_done(&d);
    plan_write_table(p, &table);                                      dump_str(r, "plan", &table);
    plan_write_json(p, &json);                                        dump_str(r, "plan.json", &json);
    dump_svg(r, p);
    if (finished(r, STEP_PLAN))
        return;
    const Tokenizer *t = m && whole(r) ? tokenizer_load(a, m) : NULL;
    const ChatTemplate *chat = whole(r) ? chat_load(a, m, o->chat_template) : NULL;
    const Source s = render_decode(a, p, (RenderOptions){ .line = o->line, .templates = o->templates });
    dump(r, "cuda", s.text, s.bytes);
    render_write_map(&s, &map);                                       dump_str(r, "map", &map);
    if (finished(r, STEP_RENDER))
        return;
    const Artifact art = build(r, p, &s, name);
    if (o->build.dry_run)
        return;
    dump(r, "cubin", art.image, art.bytes);
    verb_write_report(p, &art, o, &report);                           dump_str(r, "report", &report);
    const Output out = { name, json.text, table.text, s.text, map.text, report.text, chat };
    if (whole(r))
        write_outputs(r, p, &art, m, t, &out);
}

// What --emit asks for can be made and has a place to go.
static void check_emits(const Options *o)
{
    static const char *const planned[] = { "ptx" };
    int texts = 0;
    bool all = !o->emits.n;
    for (int i = 0; i < o->emits.n; ++i) {
        const char *kind = o->emits.at[i];
        int k = 0;
        while (k < ARRAY_LEN(kinds) && !str_equal(kinds[k].name, kind))
            ++k;
        if (verb_is_one_of(kind, planned, ARRAY_LEN(planned)))
            error_at(NOWHERE, ERR_NOT_IN_THIS_VERSION, "--emit=%s: not in this version", kind);
        if (k == ARRAY_LEN(kinds))
            error_at(NOWHERE, ERR_OPTION_VALUE,
                     "--emit is \"%s\": must be one of config graph fuse plan plan.json svg cuda map cubin report exe lib",
                     kind);
        if (o->plan_file && kinds[k].step == STEP_MODEL)
            error_at(NOWHERE, ERR_USAGE, "--emit=%s comes before the plan: it has nothing to print beside --plan",
                     kind);
        const bool whole = str_equal(kind, "exe") || str_equal(kind, "lib");
        if (str_equal(kind, "lib") && o->bundle)
            error_at(NOWHERE, ERR_USAGE, "--bundle puts weights into a program: those of a library lie beside it");
        if (o->no_build && (str_equal(kind, "cubin") || whole))
            error_at(NOWHERE, ERR_USAGE, "--emit=%s needs a build: it excludes --no-build", kind);
        all |= whole;
        texts += !whole && !verb_is_one_of(kind, o->emits.at, i);
    }
    if (o->trace && !verb_is_one_of("svg", o->emits.at, o->emits.n))
        error_at(NOWHERE, ERR_USAGE, "--trace %s: has no effect without --emit=svg", o->trace);
    if (o->out && !str_equal(o->out, "-") && !all && texts > 1)
        error_at(NOWHERE, ERR_USAGE, "-o %s: --emit asks for %d texts, one file holds one; without -o all go to stdout",
                 o->out, texts);
}

// No two targets write under one name.
static void check_targets(Arena *a, const Options *o)
{
    for (int i = 0; i < o->targets.n; ++i)
        for (int k = 0; k < i; ++k)
            if (str_equal(verb_target_name(a, o, "", o->targets.at[i]), verb_target_name(a, o, "", o->targets.at[k])))
                error_at(NOWHERE, ERR_USAGE, "--target %s and --target %s would write the same outputs",
                         o->targets.at[k], o->targets.at[i]);
}

static void compile_all(Arena *a, const Options *o)
{
    if (!o->operand && !o->plan_file)
        error_at(NOWHERE, ERR_USAGE, "compile needs a model: config.json, a folder or a .gguf file");
    check_emits(o);
    check_targets(a, o);
    for (int i = 0; i < (o->targets.n ? o->targets.n : 1); ++i) {
        Run r = { arena_new(), o, o->targets.n ? o->targets.at[i] : "native", { 0, 0 } };
        clock_gettime(CLOCK_MONOTONIC, &r.last);
        compile(&r);
        arena_free(r.a);
    }
}

// Contexts to predict at: the list of --ctx, or some that a plan is used at.
static int list_contexts(const Options *o, const Plan *p, int *ctx)
{
    static const int usual[] = { 1, 1024, 4096, 16384 };
    int n = 0;
    if (o->contexts_n > 1) {
        memcpy(ctx, o->contexts, (size_t)o->contexts_n * sizeof *ctx);
        return o->contexts_n;
    }
    for (int i = 0; i < ARRAY_LEN(usual) && usual[i] < p->ctx; ++i)
        ctx[n++] = usual[i];
    ctx[n++] = p->ctx;
    return n;
}

static void write_plan(const Options *o, const Plan *p, Str *out)
{
    int ctx[ARRAY_LEN(o->contexts)];
    const int n = list_contexts(o, p, ctx);
    if (o->json) {
        plan_write_json(p, out);
        return;
    }
    plan_write_table(p, out);
    plan_write_predicted(p, ctx, n, out);
    if (o->why)
        plan_write_why(p, ctx, n, out);
}

// `llmc plan`: the passes up to the plan, for every target asked for.
static void show_plans(Arena *a, const Options *o)
{
    if (!o->operand)
        error_at(NOWHERE, ERR_USAGE, "plan needs a model: config.json, a folder or a .gguf file");
    check_targets(a, o);
    for (int i = 0; i < (o->targets.n ? o->targets.n : 1); ++i) {
        Run r = { arena_new(), o, o->targets.n ? o->targets.at[i] : "native", { 0, 0 } };
        Diags d = { .arena = r.a };
        Str out = str_new(r.a);
        Model *m = model_load(r.a, o->operand);
        verb_open_weights(r.a, o, m);
        const Target *t = target_load(r.a, r.target);
        verb_check_target(o, t);
        Graph *g = graph_build(r.a, m);
        graph_fuse(g, !plan_splits(g, t, &o->plan, &(const char *){ NULL }));
        graph_check(g, &d);
        check_done(&d);
        Plan *p = make_plan(&r, g, t);
        verb_want_sound(r.a, p, own_plan);
        write_plan(o, p, &out);
        file_write_text(r.a, verb_text_output(r.a, o, r.target), out.text, out.bytes);
        arena_free(r.a);
    }
}

static int run(Arena *a, const Options *o)
{
    if (o->help)
        options_help(o->verb);
    else
        switch (o->verb) {
        case VERB_NONE:
            fprintf(stderr, "usage: llmc VERB ...    `llmc --help` lists the verbs\n");
            return 2;
        case VERB_HELP:
            options_help(o->operand ? verb_named(a, o->operand) : VERB_NONE);
            break;
        case VERB_VERSION:
            printf(o->json ? "{\"llmc\": \"%s\"}\n" : "llmc %s\n", LLMC_VERSION_TEXT);
            break;
        case VERB_COMPILE:
            compile_all(a, o);
            break;
        case VERB_PLAN:
            show_plans(a, o);
            break;
        case VERB_PACK:
            verb_pack(a, o);
            break;
        case VERB_CHECK:
            verb_check(a, o);
            break;
        case VERB_RENDER:
            verb_render(a, o);
            break;
        case VERB_VERIFY:
            return verb_verify(a, o);
        case VERB_TARGETS:
            verb_targets(a, o);
            break;
        case VERB_PROBE:
            verb_probe(a, o);
            break;
        case VERB_EXPLAIN:
            verb_explain(o);
        }
    return 0;
}

// A standard stream that the parent closed stays closed, to reads and writes, instead of becoming the next file opened.
static void keep_streams_closed(void)
{
    for (int fd = 0; fd <= 2; ++fd)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            return;
}

int main(int argc, char **argv)
{
    keep_streams_closed();
    cleanup_on_signals();
    signal(SIGPIPE, SIG_DFL); // a parent may have left it ignored
    signal(SIGXFSZ, SIG_IGN); // a file over the limit is a failed write, with a message
    Arena *a = arena_new();
    const Options o = options_parse(a, argc, argv);
    const int status = run(a, &o);
    errno = 0;
    const bool written = fflush(stdout) == 0 && !ferror(stdout);
    const int error = errno ? errno : EIO;
    arena_free(a);
    if (!written)
        error_at(loc_file("stdout"), ERR_WRITE, "cannot write: %s", strerror(error));
    return status;
}
