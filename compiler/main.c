// main.c: parses options and calls the passes in order, one line each, with a dump after each.
#include "options.h"

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/file.h"
#include "model/weights.h"
#include "verbs.h"
#include "target/target.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

// Writes one dump when --emit asks for it: to -o, or stdout.
static void dump(Run *r, const char *kind, const char *text, size_t bytes)
{
    step_done(r, kind);
    if (wanted(r, kind))
        file_write_text(r->a, r->o->out ? r->o->out : "-", text, bytes);
}

static void dump_str(Run *r, const char *kind, const Str *s)
{
    dump(r, kind, s->text, s->bytes);
}

static void check_done(const Diags *d)
{
    diag_exit_if_any(d);
}

// --plan FILE: the plan as it stands there; the model given beside it must be the one it was made for.
static Plan *read_plan(Run *r, const Model *m)
{
    const Bytes text = file_read(r->a, r->o->plan_file);
    Plan *p = plan_read_json(r->a, r->o->plan_file, (const char *)text.at, text.bytes);
    if (m) {
        Str facts = str_new(r->a), own = str_new(r->a);
        model_write_json(m, &facts);
        model_write_json(p->model, &own);
        if (!str_equal(facts.text, own.text))
            error_at(loc_file(r->o->plan_file), ERR_FINGERPRINT, "the plan is for a model of other facts than %s", m->path);
    }
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

static Artifact build(Run *r, const Plan *p, const Source *s)
{
    const Artifact art = build_any(r->a, s, p->target, &r->o->build);
    build_check(&art, p);
    return art;
}

static void write_outputs(Run *r, const Plan *p, const Source *s, const Artifact *art, const Model *m)
{
    Str plan_json = str_new(r->a), table = str_new(r->a), map = str_new(r->a), report = str_new(r->a);
    plan_write_json(p, &plan_json);
    plan_write_table(p, &table);
    render_write_map(s, &map);
    verb_write_report(p, art, r->o, &report);
    const char *name = verb_output_name(r->a, r->o, p, r->target);
    const Output out = { name, plan_json.text, table.text, s->text, map.text, report.text };
    verb_write_folder(r->a, &out);
    if (!art->image)
        return;
    verb_write_program(r->a, r->o, p, &out, art, m);
    step_done(r, "write");
    if (m && m->weights) {
        weights_pack(r->a, p, m->weights, r->o->weights ? r->o->weights : m->path, str_format(r->a, "%s.llmw", name));
        step_done(r, "pack");
    }
    verb_say_made(r->o, p, &out, art, m);
}

// One model for one target: the passes.
static void compile(Run *r)
{
    Arena *a = r->a;
    const Options *o = r->o;
    Diags d = { .arena = a };
    Str config = str_new(a), graph = str_new(a), fused = str_new(a), table = str_new(a), json = str_new(a), map = str_new(a);

    Model *m = o->operand ? model_load(a, o->operand) : NULL;
    verb_open_weights(a, o, m);
    Plan *p = NULL;
    if (o->plan_file) {
        p = read_plan(r, m);
    } else {
        const Target *t = target_load(a, r->target);
        model_print(m, &config);                                      dump_str(r, "config", &config);
        Graph *g = graph_build(a, m);       graph_print(g, &graph);   dump_str(r, "graph", &graph);
        graph_fuse(g);                      graph_print(g, &fused);   dump_str(r, "fuse", &fused);
        graph_check(g, &d);                                           check_done(&d);
        p = make_plan(r, g, t);
    }
    plan_check(p, &d);                                                check_done(&d);
    verb_check_weights(a, p->graph, m, &d);                           check_done(&d);
    plan_write_table(p, &table);                                      dump_str(r, "plan", &table);
    plan_write_json(p, &json);                                        dump_str(r, "plan.json", &json);
    if (wanted(r, "config") || wanted(r, "graph") || wanted(r, "fuse") || wanted(r, "plan") || wanted(r, "plan.json"))
        return;
    const Source s = render_decode(a, p, (RenderOptions){ .line = o->line, .templates = o->templates });
    dump(r, "cuda", s.text, s.bytes);
    render_write_map(&s, &map);                                       dump_str(r, "map", &map);
    if (wanted(r, "cuda") || wanted(r, "map"))
        return;
    const Artifact art = o->no_build ? (Artifact){ 0 } : build(r, p, &s);
    dump(r, "cubin", art.image, art.bytes);
    if (!wanted(r, "cubin") && !o->build.dry_run)
        write_outputs(r, p, &s, &art, m);
}

static void compile_all(const Options *o)
{
    static const char *const kinds[] = { "config", "graph", "fuse", "plan", "plan.json", "cuda", "map", "cubin", "report", "exe" };
    if (!o->operand && !o->plan_file)
        error_at(NOWHERE, ERR_USAGE, "compile needs a model: config.json, a folder or a .gguf file");
    for (int i = 0; i < o->emits.n; ++i)
        if (!verb_is_one_of(o->emits.at[i], kinds, ARRAY_LEN(kinds)))
            error_at(NOWHERE, ERR_OPTION_VALUE, "--emit is \"%s\": must be one of config graph fuse plan plan.json cuda map cubin report exe",
                     o->emits.at[i]);
    for (int i = 0; i < (o->targets.n ? o->targets.n : 1); ++i) {
        Run r = { arena_new(), o, o->targets.n ? o->targets.at[i] : "native", { 0, 0 } };
        clock_gettime(CLOCK_MONOTONIC, &r.last);
        compile(&r);
        arena_free(r.a);
    }
}

// `llmc plan`: the passes up to the plan, for every target asked for.
static void show_plans(const Options *o)
{
    if (!o->operand)
        error_at(NOWHERE, ERR_USAGE, "plan needs a model: config.json, a folder or a .gguf file");
    for (int i = 0; i < (o->targets.n ? o->targets.n : 1); ++i) {
        Run r = { arena_new(), o, o->targets.n ? o->targets.at[i] : "native", { 0, 0 } };
        Diags d = { .arena = r.a };
        Str out = str_new(r.a);
        Model *m = model_load(r.a, o->operand);
        verb_open_weights(r.a, o, m);
        const Target *t = target_load(r.a, r.target);
        Graph *g = graph_build(r.a, m);
        graph_fuse(g);
        graph_check(g, &d);
        check_done(&d);
        Plan *p = make_plan(&r, g, t);
        plan_check(p, &d);
        check_done(&d);
        if (o->json)
            plan_write_json(p, &out);
        else
            plan_write_table(p, &out);
        file_write_text(r.a, o->out ? o->out : "-", out.text, out.bytes);
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
            options_help(o->operand ? verb_named(o->operand) : VERB_NONE);
            break;
        case VERB_VERSION:
            printf("llmc %s\n", LLMC_VERSION_TEXT);
            break;
        case VERB_COMPILE:
            compile_all(o);
            break;
        case VERB_PLAN:
            show_plans(o);
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
        case VERB_EXPLAIN:
            verb_explain(o);
        }
    return 0;
}

int main(int argc, char **argv)
{
    cleanup_on_signals();
    signal(SIGXFSZ, SIG_IGN); // a file over the limit is a failed write, with a message
    Arena *a = arena_new();
    const Options o = options_parse(a, argc, argv);
    const int status = run(a, &o);
    const bool written = fflush(stdout) == 0 && !ferror(stdout);
    arena_free(a);
    if (!written)
        error_at(loc_file("stdout"), ERR_WRITE, "cannot write");
    return status;
}
