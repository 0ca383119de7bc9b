// verbs.c: the verbs beside compile: pack, check, render, verify, targets, probe, explain.
#include "verbs.h"

#include "base/diag.h"
#include "base/file.h"
#include "model/weights.h"
#include "probe/probe.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool verb_is_one_of(const char *word, const char *const *words, int n)
{
    for (int i = 0; i < n; ++i)
        if (str_equal(word, words[i]))
            return true;
    return false;
}

void verb_open_weights(Arena *a, const Options *o, Model *m)
{
    if (m && o->weights)
        m->weights = weights_open(a, m, o->weights);
}

void verb_check_weights(Arena *a, const Graph *g, const Model *m, Diags *d)
{
    const WeightWant *wants;
    if (!m || !m->weights)
        return;
    const int n = package_wants(a, g, &wants);
    weights_check(a, m->weights, wants, n, d);
}

// What to do where a program's plan breaks a rule.
static const char damaged_program[] = "the program is damaged or of another version of llmc: compile it again";

void verb_want_sound(Arena *a, const Plan *p, const char *advice)
{
    Diags d = { .arena = a };
    plan_check(p, &d);
    if (d.list.n)
        d.list.at[d.list.n - 1].at.hint = advice;
    diag_exit_if_any(&d);
}

static const char *operand(const Options *o, const char *what)
{
    if (!o->operand)
        error_at(NOWHERE, ERR_USAGE, "%s", what);
    return o->operand;
}

void verb_check_facts(Arena *a, const Model *m, const Plan *p, const char *made)
{
    const char *difference = model_difference(a, m, p->model);
    if (difference)
        error_at(loc_file(m->path), ERR_FINGERPRINT, "%s was made for another model: its %s", made, difference);
    if (m->max_tokens < p->ctx)
        error_at(loc_file(m->path), ERR_FINGERPRINT, "%s has a context of %d, this model ends at %d positions", made, p->ctx,
                 m->max_tokens);
}

void verb_pack(Arena *a, const Options *o)
{
    Diags d = { .arena = a };
    Outputs outputs = { 0 };
    Model *m = model_load(a, operand(o, "pack needs a model: a folder or a .gguf file"));
    if (!o->into)
        error_at(NOWHERE, ERR_USAGE, "pack needs --into PROGRAM");
    verb_open_weights(a, o, m);
    if (!m->weights)
        error_at(loc_file(m->path), ERR_WEIGHTS_MISSING, "there are no weights beside this config");
    const char *program = file_behind_links(a, o->into), *source = o->weights ? o->weights : m->path;
    PackageInput in = package_read(a, program);
    verb_want_sound(a, in.plan, damaged_program);
    const char *streams = verb_weights_name(a, program, in.library);
    if (in.library && o->bundle)
        error_at(loc_file(program), ERR_USAGE, "--bundle puts weights into a program: those of a library lie beside it");
    verb_check_facts(a, m, in.plan, o->into);
    verb_check_weights(a, in.plan->graph, m, &d);
    diag_exit_if_any(&d);
    const bool had_tokenizer = in.tokenizer->tables != NULL, bundle = o->bundle || package_weights(a, program).at;
    in.tokenizer = tokenizer_load(a, m);
    in.chat = chat_again(a, m, o->chat_template, in.chat);
    in.license = package_license(a, m, o->license);
    package_set_ends(a, &in, m);
    in.weights = bundle ? m->weights : NULL;
    in.weights_source = source;
    OutFile *packed = bundle ? NULL : weights_pack(a, in.plan, m->weights, source, streams);
    OutFile *file = package_write(a, program, &in);
    if (packed)
        vec_push(a, &outputs.files, packed);
    vec_push(a, &outputs.files, file);
    verb_commit(&outputs);
    if (packed)
        note("packed %s into %s and %s", source, program, streams);
    else
        note("packed %s into %s, weights too", source, program);
    verb_note_unread(a, bundle, program);
    if (had_tokenizer && !in.tokenizer->tables)
        warning_at(loc_file(program), "tokenizer-lost", "the tokenizer it had is gone (%s): -p exits 3, --ids-in works",
                   in.tokenizer->why_not);
}

void verb_check(Arena *a, const Options *o)
{
    Diags d = { .arena = a };
    Str out = str_new(a);
    Model *m = model_load(a, operand(o, "check needs a model: config.json, a folder or a .gguf file"));
    verb_open_weights(a, o, m);
    Graph *g = graph_build(a, m);
    graph_fuse(g, true);
    graph_check(g, &d);
    verb_check_weights(a, g, m, &d);
    diag_exit_if_any(&d);
    model_print(m, &out);
    const Tokenizer *t = tokenizer_load(a, m);
    const PkgTokenizer *tables = t->tables;
    if (tables)
        str_add(&out, "tokenizer: %s, %u tokens, %u merges\n", package_tokenizer_kind(tables), tables->vocab, tables->merges);
    else
        str_add(&out, "tokenizer: none (%s)\n", t->why_not ? t->why_not : "not there");
    const ChatTemplate *chat = chat_load(a, m, o->chat_template);
    if (chat->tables)
        str_add(&out, "chat template: %s, %zu bytes compiled\n", chat->source, chat->bytes);
    else
        str_add(&out, "chat template: none\n");
    str_add(&out, "weights: %s\n", m->weights ? str_format(a, "%s bytes, all tensors there", str_count(a, weights_bytes(m->weights))) : "none");
    fputs(out.text, stdout);
}

void verb_render(Arena *a, const Options *o)
{
    const char *path = operand(o, "render needs a plan.json");
    const Bytes text = file_read(a, path);
    const Plan *p = plan_read_json(a, path, (const char *)text.at, text.bytes);
    verb_want_sound(a, p, "correct the tasks named, or make a new plan: llmc plan MODEL --target T --json");
    const char *out = o->out ? o->out : "-";
    verb_check_text_output(a, o, out);
    if (o->map && (str_equal(o->map, out) || file_same(o->map, out)))
        error_at(NOWHERE, ERR_USAGE, "the text and --map would both be written to %s", o->map);
    if (o->map)
        verb_check_text_output(a, o, o->map);
    const Source s = render_decode(a, p, (RenderOptions){ .line = o->line, .templates = o->templates });
    file_write_text(a, out, s.text, s.bytes);
    if (o->map) {
        Str map = str_new(a);
        render_write_map(&s, &map);
        file_write_text(a, o->map, map.text, map.bytes);
    }
}

// Runs PROGRAM --verify and gives its exit status.
static int run_program(Arena *a, const char *path)
{
    const char *program = strchr(path, '/') ? path : str_format(a, "./%s", path);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        execl(program, program, "--verify", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
        error_at(loc_file(path), ERR_READ, "the program could not be run");
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
        return 128 + SIGPIPE; // who read its table has enough
    if (WIFSIGNALED(status))
        error_at(loc_file(path), ERR_VERIFY, "the program was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status);
}

static int verify_program(Arena *a, const Options *o)
{
    const PackageInput in = package_read(a, o->operand);
    verb_want_sound(a, in.plan, damaged_program);
    printf("plan: %d rules hold\n", PLAN_RULES);
    const char *table = package_difference(a, o->operand, &in);
    if (table)
        error_at(loc_file(o->operand), ERR_VERIFY,
                 "its table \"%s\" is not what its plan gives", table);
    printf("tables: made again from the plan, the same bytes\n");
    const Source s = render_decode(a, in.plan, (RenderOptions){ .templates = o->templates });
    if (!str_equal(s.text, in.source))
        note("this llmc renders another text from the plan than the program carries: they are of two versions");
    else
        printf("source: rendered again, the same %zu bytes\n", s.bytes);
    const Bytes inside = package_weights(a, o->operand);
    const char *weights = inside.at ? o->operand
                                      : verb_weights_name(a, file_behind_links(a, o->operand), in.library);
    if (o->model) {
        const Model *m = model_load(a, o->model);
        if (!m->weights)
            error_at(loc_file(m->path), ERR_WEIGHTS_MISSING, "there are no weights to compare with");
        verb_check_facts(a, m, in.plan, o->operand);
        weights_compare(a, in.plan, m->weights, inside.at ? inside : file_map(a, weights), weights);
        printf("weights: every number of %s equals the checkpoint's\n", weights);
    }
    if (!inside.at && !file_exists(weights)) {
        note("%s is not there: results were not compared", weights);
        return 0;
    }
    if (in.library) {
        note("%s is a library: its results were not compared", o->operand);
        return 0;
    }
    return run_program(a, o->operand);
}

int verb_verify(Arena *a, const Options *o)
{
    const char *path = operand(o, "verify needs a program or a plan.json");
    if (!str_ends(path, ".json") && !str_equal(path, "-"))
        return verify_program(a, o);
    const Bytes text = file_read(a, path);
    const Plan *p = plan_read_json(a, path, (const char *)text.at, text.bytes);
    verb_want_sound(a, p, NULL);
    const Model *m = o->model ? model_load(a, o->model) : NULL;
    if (m)
        verb_check_facts(a, m, p, path);
    printf("plan: %d rules hold\n", PLAN_RULES);
    if (m)
        printf("model: every fact of %s is the plan's\n", m->path);
    return 0;
}

void verb_targets(Arena *a, const Options *o)
{
    Str out = str_new(a);
    if (o->operand)
        target_print(target_load(a, o->operand), &out);
    else
        str_add(&out, "%s\n", target_list(a));
    fputs(out.text, stdout);
}

void verb_probe(Arena *a, const Options *o)
{
    Str out = str_new(a);
    const char *path = o->out ? o->out : "-";
    if (o->operand)
        error_at(NOWHERE, ERR_USAGE, "probe takes no operand, \"%s\" is one", o->operand);
    verb_check_text_output(a, o, path);
    Target *t = probe_target(a, o->device);
    const Source s = probe_source(a);
    const Artifact art = build_any(a, &s, t, &o->build);
    probe_measure(a, t, &art, &(ProbeOptions){ .device = o->device });
    target_write_file(t, &out);
    target_parse(a, path, out.text, out.bytes); // what is written can be read
    file_write_text(a, path, out.text, out.bytes);
    if (!str_equal(path, "-"))
        note("%s is written: --target %s%s plans with it", path, strchr(path, '/') || str_ends(path, ".json") ? "" : "./", path);
}

void verb_explain(const Options *o)
{
    const char *word = operand(o, "explain needs an error number: E0412");
    const char *digits = *word == 'E' || *word == 'e' ? word + 1 : word;
    const size_t n = strspn(digits, "0123456789");
    const int number = n && n < 6 && !digits[n] ? atoi(digits) : 0;
    const char *title = error_title(number);
    if (!title)
        error_at(NOWHERE, ERR_USAGE, "\"%s\" is not an error number of this version: they look like E0412", word);
    printf("E%04d: %s (exit code %d)\n\n%s\n", number, title, error_exit_code(number), error_advice(number));
}
