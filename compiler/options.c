// options.c: the command line of llmc, from one table of verbs and one of options.
#include "options.h"

#include "base/diag.h"
#include "base/str.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERBS(verb) (1u << (verb))
enum {
    ALL = ~0u,
    MAKERS = VERBS(VERB_COMPILE) | VERBS(VERB_PLAN),
    READERS = MAKERS | VERBS(VERB_CHECK) | VERBS(VERB_PACK),
    BUILDERS = VERBS(VERB_COMPILE),
};

typedef struct VerbInfo {
    Verb verb;
    const char *name, *usage, *what;
} VerbInfo;

static const VerbInfo verbs[] = {
    { VERB_COMPILE, "compile", "llmc compile MODEL [--target T] [-o PROGRAM]", "a model into a program for one GPU" },
    { VERB_PACK, "pack", "llmc pack MODEL --into PROGRAM", "weights and tokenizer into a program" },
    { VERB_CHECK, "check", "llmc check MODEL", "read config, tensors and tokenizer; nothing is written" },
    { VERB_PLAN, "plan", "llmc plan MODEL [--target T] [--ctx N,...] [--why]", "show waves, tasks, bytes, floor, predicted time" },
    { VERB_RENDER, "render", "llmc render plan.json [-o decode.cu]", "a plan into CUDA C" },
    { VERB_VERIFY, "verify", "llmc verify PROGRAM|plan.json [--model MODEL]", "prove a plan; check a program, its weights and results" },
    { VERB_TARGETS, "targets", "llmc targets [NAME]", "list the GPUs that are described; show one" },
    { VERB_PROBE, "probe", "llmc probe [-o T.json] [--device N]", "measure the GPU present; --target T.json plans with it" },
    { VERB_EXPLAIN, "explain", "llmc explain E0412", "what an error number means and what to do" },
    { VERB_HELP, "help", "llmc help [VERB]", "this text, or a verb's options" },
};

// Verbs of the plan that this version does not have.
static const char *const later[] = { "presets", "fit", "inspect", "diff", "doctor", "run", "completion", "lib" };

typedef enum Kind { FLAG, INT, TEXT, LIST, CONTEXTS, MAYBE, LATER } Kind; // MAYBE: --opt or --opt=TEXT; LATER: not in this version

typedef struct OptionInfo {
    const char *name, *short_name, *value, *help;
    Kind kind;
    unsigned verbs;
    int low, high;  // INT, CONTEXTS
    size_t at;      // of its field in Options
} OptionInfo;

#define AT(field) offsetof(Options, field)

static const OptionInfo options[] = {
    { "--target", NULL, "T", "sm_86, a card of `llmc targets`, a JSON file, native, cpu; may be given again", LIST, MAKERS, 0, 0, AT(targets) },
    { "--output", "-o", "FILE", "program to write (default: the model's name); of a text, - is stdout", TEXT, MAKERS | VERBS(VERB_RENDER) | VERBS(VERB_PROBE), 0, 0, AT(out) },
    { "--emit", NULL, "KIND,...", "write these instead: config, graph (-E), fuse, plan, plan.json, svg, cuda (-S), map, cubin (-c), report, exe, lib", LIST, BUILDERS, 0, 0, AT(emits) },
    { "--ctx", NULL, "N", "positions of the K/V cache (default: the model's maximum, or what fits); of plan: N,N,... to predict there", CONTEXTS, MAKERS, 1, 1 << 24, AT(plan.ctx) },
    { "--kv-type", NULL, "TYPE", "f16 (default), bf16 or f32", TEXT, MAKERS, 0, 0, AT(plan.kv) },
    { "--workers", NULL, "N", "workers, at most one a multiprocessor (default: one on each)", INT, MAKERS, 1, 4096, AT(plan.workers) },
    { "--sms", NULL, "N", "the same as --workers", INT, MAKERS, 1, 4096, AT(plan.workers) },
    { "--threads", NULL, "N", "threads of a worker, a multiple of 32", INT, MAKERS, 32, 1024, AT(plan.threads) },
    { "--parts", NULL, "N", "parts of a context that different workers attend to (default: by context)", INT, MAKERS, 1, 32, AT(plan.parts) },
    { "--sync", NULL, "KIND", "how waves end: barrier, packets", TEXT, MAKERS, 0, 0, AT(plan.sync) },
    { "--feed", NULL, "KIND", "how weights are read: plain, bulk", TEXT, MAKERS, 0, 0, AT(plan.feed) },
    { "--weights", NULL, "W", "a path, none, or random:SEED (default: the model's own)", TEXT, READERS, 0, 0, AT(weights) },
    { "--chat-template", NULL, "T", "a built-in one, none, or a file (default: the model's own)", TEXT, BUILDERS | VERBS(VERB_PACK) | VERBS(VERB_CHECK), 0, 0, AT(chat_template) },
    { "--plan", NULL, "FILE", "take this plan.json instead of planning; it is proved again", TEXT, BUILDERS, 0, 0, AT(plan_file) },
    { "--arch", NULL, "sm_XX", "code for another architecture (or cpu), plan unchanged", TEXT, BUILDERS, 0, 0, AT(build.sm) },
    { "--templates", NULL, "DIR", "templates to use instead of the built-in ones", TEXT, BUILDERS | VERBS(VERB_RENDER), 0, 0, AT(templates) },
    { "--nvcc", NULL, "PATH", "build with nvcc (default when it is found)", MAYBE, BUILDERS | VERBS(VERB_PROBE), 0, 0, AT(build.nvcc) },
    { "--nvrtc", NULL, "PATH", "build with NVRTC: a library or its folder", MAYBE, BUILDERS | VERBS(VERB_PROBE), 0, 0, AT(build.nvrtc) },
    { "-Xnvcc", NULL, "ARG", "one more argument for nvcc", LIST, BUILDERS, 0, 0, AT(extra) },
    { "--no-build", NULL, NULL, "plan and render only", FLAG, BUILDERS, 0, 0, AT(no_build) },
    { "--save-temps", NULL, "DIR", "keep the compiler's intermediate files (default: in NAME.temps)", MAYBE, BUILDERS, 0, 0, AT(build.save_temps) },
    { "--time-report", NULL, NULL, "time of each step, on stderr", FLAG, BUILDERS, 0, 0, AT(time_report) },
    { "--why", NULL, NULL, "list what else could be planned, with predicted times", FLAG, VERBS(VERB_PLAN), 0, 0, AT(why) },
    { "--redzone", NULL, NULL, "4096 unused bytes between buffers, for tests", FLAG, MAKERS, 0, 0, AT(plan.redzone) },
    { "-ftrace", NULL, NULL, "a program that can --trace and --explain: a clock for every worker and wave", FLAG, MAKERS, 0, 0, AT(plan.trace) },
    { "--force", "-f", NULL, "replace an output that llmc did not make", FLAG, BUILDERS, 0, 0, AT(force) },
    { "--into", NULL, "PROGRAM", "the program that gets weights and tokenizer", TEXT, VERBS(VERB_PACK), 0, 0, AT(into) },
    { "--bundle", NULL, NULL, "weights into the program itself: one file", FLAG, BUILDERS | VERBS(VERB_PACK), 0, 0, AT(bundle) },
    { "--license", NULL, "FILE", "a licence to carry along, beside those of the model", TEXT, BUILDERS | VERBS(VERB_PACK), 0, 0, AT(license) },
    { "--model", NULL, "MODEL", "the checkpoint that packed weights are compared with", TEXT, VERBS(VERB_VERIFY), 0, 0, AT(model) },
    { "--device", NULL, "N", "the GPU to measure, as nvidia-smi counts (default: 0)", INT, VERBS(VERB_PROBE), 0, 1023, AT(device) },
    { "--line", NULL, NULL, "#line directives to the templates", FLAG, VERBS(VERB_RENDER) | BUILDERS, 0, 0, AT(line) },
    { "--map", NULL, "FILE", "write the map from lines of the text to templates", TEXT, VERBS(VERB_RENDER), 0, 0, AT(map) },
    { "--trace", NULL, "FILE", "of --emit=svg: draw what a program of -ftrace measured over its plan", TEXT, BUILDERS, 0, 0, AT(trace) },
    { "--json", NULL, NULL, "JSON instead of text", FLAG, VERBS(VERB_PLAN) | VERBS(VERB_VERSION), 0, 0, AT(json) },
    { "--verbose", "-v", NULL, "print the commands that are run", FLAG, ALL, 0, 0, AT(build.verbose) },
    { "-###", NULL, NULL, "print the commands, run nothing", FLAG, BUILDERS, 0, 0, AT(build.dry_run) },
    { "--help", "-h", NULL, "the verb's options", FLAG, ALL, 0, 0, AT(help) },
    { "--dtype", NULL, "T", NULL, LATER, ALL, 0, 0, 0 },
    { "--tokens-per-launch", NULL, "N", NULL, LATER, ALL, 0, 0, 0 },
    { "--prefix", NULL, "FILE", NULL, LATER, ALL, 0, 0, 0 },
    { "--pre", NULL, "NAME", NULL, LATER, ALL, 0, 0, 0 },
    { "-j", NULL, "N", NULL, LATER, ALL, 0, 0, 0 },
};

static _Noreturn void unknown(Arena *a, const char *word, const char *kind, const char *const *names, int n)
{
    const char *near = str_nearest(word, names, n);
    Loc at = NOWHERE;
    at.hint = near ? str_format(a, "did you mean %s?", near) : "`llmc --help` lists verbs and options";
    error_at(at, str_equal(kind, "option") ? ERR_OPTION_UNKNOWN : ERR_USAGE, "unknown %s \"%s\"", kind, word);
}

Verb verb_named(Arena *a, const char *word)
{
    const char *names[ARRAY_LEN(verbs)];
    for (int i = 0; i < ARRAY_LEN(verbs); ++i) {
        names[i] = verbs[i].name;
        if (str_equal(word, verbs[i].name))
            return verbs[i].verb;
    }
    for (int i = 0; i < ARRAY_LEN(later); ++i)
        if (str_equal(word, later[i]))
            error_at(NOWHERE, ERR_NOT_IN_THIS_VERSION, "`llmc %s`: not in this version", word);
    if (*word == '-')
        error_at(loc_hint(NOWHERE, "`llmc --help` lists the verbs"), ERR_USAGE,
                 "\"%s\" stands where a verb is expected: llmc VERB [options]", word);
    unknown(a, word, "verb", names, ARRAY_LEN(names));
}

static const char *verb_name(Verb verb)
{
    for (int i = 0; i < ARRAY_LEN(verbs); ++i)
        if (verbs[i].verb == verb)
            return verbs[i].name;
    return "--version";
}

static int to_int(const OptionInfo *o, const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    const long n = digits && digits < 10 && !text[digits] ? atol(text) : -1;
    if (n < o->low || n > o->high)
        error_at(NOWHERE, ERR_OPTION_VALUE, "%s is \"%s\": must be a whole number from %d to %d", o->name, text, o->low, o->high);
    return (int)n;
}

// Values that later versions have; here no kernel could obey them.
static void refuse_later(const OptionInfo *o, const char *text, const char *planned, const char *here)
{
    const char *at = strstr(planned, text);
    const size_t bytes = strlen(text);
    if (at && (at == planned || at[-1] == ' ') && (at[bytes] == ' ' || !at[bytes]))
        error_at(NOWHERE, ERR_NOT_IN_THIS_VERSION, "%s %s: not in this version, which has %s", o->name, text, here);
}

static int to_choice(const OptionInfo *o, const char *text, int found, const char *want)
{
    if (found < 0)
        error_at(NOWHERE, ERR_OPTION_VALUE, "%s is \"%s\": must be one of %s", o->name, text, want);
    return found;
}

static int to_arch(const OptionInfo *o, const char *text)
{
    const size_t digits = str_starts(text, "sm_") ? strspn(text + 3, "0123456789") : 0;
    const bool possible = digits >= 2 && digits <= 3 && !text[3 + digits] && text[3] != '0';
    return possible ? atoi(text + 3) : to_choice(o, text, -1, "sm_75 sm_80 sm_86 sm_89 sm_90 sm_120 cpu");
}

// Options whose text is a choice or a number in disguise.
static bool set_special(Options *out, const OptionInfo *o, const char *text)
{
    if (str_equal(o->name, "--kv-type"))
        refuse_later(o, text, "q8_0 q4_0", "f16, bf16 and f32");
    else if (str_equal(o->name, "--feed"))
        refuse_later(o, text, "async", "plain and bulk");
    if (str_equal(o->name, "--kv-type"))
        out->plan.kv = (KvType)to_choice(o, text, kv_find(text), "f16 bf16 f32");
    else if (str_equal(o->name, "--sync"))
        out->plan.sync = to_choice(o, text, sync_find(text), "barrier packets");
    else if (str_equal(o->name, "--feed"))
        out->plan.feed = to_choice(o, text, feed_find(text), "plain bulk");
    else if (str_equal(o->name, "--arch") && str_equal(text, "cpu"))
        out->build.cpu = true;
    else if (str_equal(o->name, "--arch"))
        out->build.sm = to_arch(o, text);
    else
        return false;
    return true;
}

static void add_names(Arena *a, Names *list, const OptionInfo *o, const char *text)
{
    if (str_equal(o->name, "-Xnvcc")) {
        vec_push(a, list, text);
        return;
    }
    for (const char *s = text;; s += *s == ',') {
        const size_t bytes = strcspn(s, ",");
        if (!bytes)
            error_at(NOWHERE, ERR_OPTION_VALUE, "%s is \"%s\": a name between the commas is empty", o->name, text);
        const char *name = str_copy(a, s, bytes);
        vec_push(a, list, name);
        s += bytes;
        if (!*s)
            return;
    }
}

// Contexts to predict at; the K/V cache holds the longest.
static void set_contexts(Arena *a, Options *out, const OptionInfo *o, const char *text)
{
    Names list = { 0 };
    if (strchr(text, ','))
        add_names(a, &list, o, text);
    else
        vec_push(a, &list, text);
    if (list.n > 1 && out->verb != VERB_PLAN)
        error_at(NOWHERE, ERR_OPTION_VALUE, "--ctx is \"%s\": one number was expected; `llmc plan` takes a list", text);
    if (list.n > ARRAY_LEN(out->contexts))
        error_at(NOWHERE, ERR_OPTION_VALUE, "--ctx has %d contexts: at most %d were expected", list.n, ARRAY_LEN(out->contexts));
    out->contexts_n = list.n;
    out->plan.ctx = 0;
    for (int i = 0; i < list.n; ++i) {
        out->contexts[i] = to_int(o, list.at[i]);
        out->plan.ctx = out->contexts[i] > out->plan.ctx ? out->contexts[i] : out->plan.ctx;
    }
}

// The options of the command line, while they are read.
typedef struct Parse {
    Arena *arena;
    Options *out;
    Words words;
    int at;                                // of words
    const char *given[ARRAY_LEN(options)]; // value of each option, NULL: not given
} Parse;

// One option, one value: the last one does not win in silence. --workers and --sms are one option.
static void refuse_second(const Parse *p, const OptionInfo *o, const char *text)
{
    for (int i = 0; i < ARRAY_LEN(options); ++i)
        if (p->given[i] && options[i].kind == o->kind && options[i].at == o->at && !str_equal(p->given[i], text))
            error_at(NOWHERE, ERR_USAGE, "%s is \"%s\" and %s is \"%s\": give one of them", options[i].name,
                     p->given[i], o->name, text);
}

static void set(Parse *p, const OptionInfo *o, const char *text)
{
    void *field = (char *)p->out + o->at;
    if (o->kind != FLAG && o->kind != LIST && o->kind != LATER)
        refuse_second(p, o, text);
    p->given[o - options] = text;
    switch (o->kind) {
    case FLAG:
        *(bool *)field = true;
        break;
    case INT:
        *(int *)field = to_int(o, text);
        break;
    case TEXT:
    case MAYBE:
        if (!set_special(p->out, o, text))
            *(const char **)field = text;
        break;
    case LIST:
        add_names(p->arena, field, o, text);
        break;
    case CONTEXTS:
        set_contexts(p->arena, p->out, o, text);
        break;
    case LATER:
        break;
    }
}

static const OptionInfo *find_option(const char *word, const char **inline_value)
{
    *inline_value = NULL;
    for (int i = 0; i < ARRAY_LEN(options); ++i) {
        const OptionInfo *o = &options[i];
        const char *const spellings[] = { o->name, o->short_name };
        for (int k = 0; k < ARRAY_LEN(spellings) && spellings[k]; ++k) {
            const size_t n = strlen(spellings[k]);
            if (strncmp(word, spellings[k], n) != 0 || (word[n] && word[n] != '='))
                continue;
            *inline_value = word[n] ? word + n + 1 : NULL;
            return o;
        }
    }
    return NULL;
}

// clang's letters for what to stop at.
static const char *emit_letter(const char *word)
{
    return str_equal(word, "-S") ? "cuda" : str_equal(word, "-c") ? "cubin" : str_equal(word, "-E") ? "graph" : NULL;
}

static _Noreturn void refuse_unknown(Parse *p, const char *word)
{
    static const char *const levels[] = { "-O0", "-O1", "-O3" };
    const char *names[ARRAY_LEN(options)];
    int n = 0;
    for (int i = 0; i < ARRAY_LEN(levels); ++i)
        if (str_equal(word, levels[i]))
            error_at(NOWHERE, ERR_NOT_IN_THIS_VERSION, "%s: not in this version, which has -O2 alone", word);
    if (str_starts(word, "-f") || (str_starts(word, "-j") && strspn(word + 2, "0123456789") == strlen(word + 2)))
        error_at(NOWHERE, ERR_NOT_IN_THIS_VERSION, "%s: not in this version", word);
    if (str_starts(word, "-W"))
        error_at(loc_hint(NOWHERE, "all warnings are on: -Wno-NAME silences one, -Werror stops at the first"),
                 ERR_OPTION_UNKNOWN, "unknown option \"%s\"", word);
    for (int i = 0; i < ARRAY_LEN(options); ++i)
        if (options[i].kind != LATER)
            names[n++] = options[i].name;
    unknown(p->arena, str_copy(p->arena, word, strcspn(word, "=")), "option", names, n);
}

// An option that another verb has.
static _Noreturn void refuse_here(Parse *p, const OptionInfo *o)
{
    Str owners = str_new(p->arena);
    if (str_equal(o->name, "--json") || (str_equal(o->name, "--output") && p->out->verb == VERB_PACK) ||
        (str_equal(o->name, "--map") && p->out->verb == VERB_COMPILE))
        error_at(NOWHERE, ERR_NOT_IN_THIS_VERSION, "`llmc %s %s`: not in this version", verb_name(p->out->verb),
                 o->name);
    for (int i = 0; i < ARRAY_LEN(verbs); ++i)
        if (o->verbs & VERBS(verbs[i].verb))
            str_add(&owners, "%s%s", owners.bytes ? ", " : "", verbs[i].name);
    error_at(NOWHERE, ERR_OPTION_UNKNOWN, "%s is not an option of %s: it belongs to %s", o->name,
             verb_name(p->out->verb), owners.text);
}

// The word behind an option, or behind its '='.
static const char *take_value(Parse *p, const OptionInfo *o, const char *value)
{
    const char *ignored;
    if (o->kind == FLAG && value)
        error_at(NOWHERE, ERR_OPTION_VALUE, "%s takes no value", o->name);
    if (o->kind == FLAG || (o->kind == MAYBE && !value))
        return "";
    if (!value && p->at + 1 >= p->words.n)
        error_at(NOWHERE, ERR_OPTION_VALUE, "%s needs a value: %s %s", o->name, o->name, o->value);
    if (!value) {
        value = p->words.at[++p->at];
        if (!str_equal(o->name, "-Xnvcc") && *value == '-' && find_option(value, &ignored))
            error_at(loc_hint(NOWHERE, str_format(p->arena, "%s=%s if that is meant", o->name, value)),
                     ERR_OPTION_VALUE, "%s needs a value: %s %s; \"%s\" is an option", o->name, o->name, o->value,
                     value);
    }
    if (!*value && o->kind != INT && o->kind != CONTEXTS)
        error_at(NOWHERE, ERR_OPTION_VALUE, "%s is empty: a value was expected, %s %s", o->name, o->name, o->value);
    return value;
}

static void one_option(Parse *p)
{
    const char *word = p->words.at[p->at], *value = NULL;
    Options *out = p->out;
    if (message_option(p->arena, &p->words, &p->at))
        return;
    if (emit_letter(word) && out->verb == VERB_COMPILE) {
        const char *kind = emit_letter(word);
        vec_push(p->arena, &out->emits, kind);
        return;
    }
    if (str_equal(word, "-O2"))
        return; // the only level of this version
    const OptionInfo *o = find_option(word, &value);
    if (!o)
        refuse_unknown(p, word);
    if (o->kind == LATER)
        error_at(NOWHERE, ERR_NOT_IN_THIS_VERSION, "%s: not in this version", o->name);
    if (!(o->verbs & VERBS(out->verb)))
        refuse_here(p, o);
    set(p, o, take_value(p, o, value));
}

static bool given(const Parse *p, const char *name)
{
    for (int i = 0; i < ARRAY_LEN(options); ++i)
        if (str_equal(options[i].name, name))
            return p->given[i] != NULL;
    return false;
}

// Options that would have no effect beside another one.
static void check_together(const Parse *p)
{
    static const char *const planned[] = { "--target",  "--ctx",  "--kv-type", "--workers", "--sms",
                                           "--threads", "--sync", "--feed",    "--redzone",
                                           "-ftrace" };
    static const char *const built[] = { "--nvcc", "--nvrtc", "-Xnvcc", "--save-temps", "-###" };
    for (int i = 0; given(p, "--plan") && i < ARRAY_LEN(planned); ++i)
        if (given(p, planned[i]))
            error_at(NOWHERE, ERR_USAGE, "%s has no effect beside --plan: the plan says it; edit %s, or plan again",
                     planned[i], p->out->plan_file);
    for (int i = 0; given(p, "--no-build") && i < ARRAY_LEN(built); ++i)
        if (given(p, built[i]))
            error_at(NOWHERE, ERR_USAGE, "%s has no effect beside --no-build", built[i]);
    if (given(p, "--why") && given(p, "--json"))
        error_at(NOWHERE, ERR_USAGE, "--why has no effect beside --json, which has the plan alone");
    if (p->out->plan.threads % 32)
        error_at(NOWHERE, ERR_OPTION_VALUE, "--threads is %d: must be a multiple of 32", p->out->plan.threads);
}

static void check_environment(Arena *a)
{
    Names names = { 0 };
    for (int i = 0; i < ARRAY_LEN(options); ++i)
        if (options[i].kind != LATER)
            vec_push(a, &names, options[i].name);
    environment_check(a, &names);
}

Options options_parse(Arena *a, int argc, char **argv)
{
    Options out = { .plan = { .sync = -1, .feed = -1 } };
    message_environment();
    Parse p = { .arena = a, .out = &out, .words = response_expand(a, argc, argv), .at = 2 };
    if (p.words.n < 2)
        return out;
    const char *first = p.words.at[1];
    out.verb = str_equal(first, "--version")                                ? VERB_VERSION
               : str_equal(first, "-h") || str_equal(first, "--help") ? VERB_HELP
                                                                            : verb_named(a, first);
    bool options_end = false;
    for (; p.at < p.words.n; ++p.at) {
        char *word = p.words.at[p.at];
        if (!options_end && str_equal(word, "--"))
            options_end = true;
        else if (!options_end && word[0] == '-' && word[1])
            one_option(&p);
        else if (out.verb == VERB_VERSION)
            error_at(NOWHERE, ERR_USAGE, "--version takes no operand, \"%s\" is one", word);
        else if (out.operand)
            error_at(NOWHERE, ERR_USAGE, "one operand is taken, \"%s\" is a second one behind \"%s\"", word,
                     out.operand);
        else
            out.operand = word;
    }
    out.build.extra = out.extra.at;
    out.build.n_extra = out.extra.n;
    check_together(&p);
    check_environment(a);
    return out;
}

static void help_options(Verb verb)
{
    printf("\nOptions:\n");
    for (int i = 0; i < ARRAY_LEN(options); ++i) {
        const OptionInfo *o = &options[i];
        char head[64];
        if (o->kind == LATER || !(o->verbs & VERBS(verb)))
            continue;
        snprintf(head, sizeof head, "%s%s%s%s%s", o->short_name ? o->short_name : "", o->short_name ? ", " : "", o->name,
                 o->kind == MAYBE ? "[=" : o->value ? " " : "", o->value ? o->value : "");
        printf("  %s%s%*s%s\n", head, o->kind == MAYBE ? "]" : "", (int)(strlen(head) < 24 ? 25 - strlen(head) - (o->kind == MAYBE) : 1),
               "", o->help);
    }
    message_help();
}

void options_help(Verb verb)
{
    if (verb == VERB_NONE || verb == VERB_HELP) {
        printf("llmc compiles a language model and a GPU's description into one program that decodes at the memory's speed.\n\n"
               "  llmc compile llama-3.2-1b.json --target sm_86\n"
               "  llmc pack ~/Llama-3.2-1B-Instruct --into llama-3.2-1b\n"
               "  ./llama-3.2-1b -p \"The capital of France is\"\n\nVerbs:\n");
        for (int i = 0; i < ARRAY_LEN(verbs); ++i)
            printf("  %-9s %s\n", verbs[i].name, verbs[i].what);
        printf("\n`llmc help VERB` lists a verb's options. MODEL is a config.json, a Hugging Face folder or a .gguf file.\n"
               "--opt value and --opt=value mean the same; -- ends the options; @FILE takes words from a file; - is stdin or stdout.\n"
               "Exit codes: 0 done, 1 a bug, 2 usage, 3 input refused, 4 toolchain, 5 device, 6 does not fit,\n"
               "7 verification failed, 8 numeric fault, 9 input/output. `llmc explain E0412` explains the number of a message.\n");
        return;
    }
    for (int i = 0; i < ARRAY_LEN(verbs); ++i)
        if (verbs[i].verb == verb)
            printf("%s\n    %s\n", verbs[i].usage, verbs[i].what);
    if (verb == VERB_COMPILE || verb == VERB_PACK || verb == VERB_CHECK)
        printf("\nMODEL: config.json; a folder with config.json, *.safetensors (F32, F16, BF16) and tokenizer.json; or a GGUF file\n"
               "(F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q6_K). Llama family: Llama 2 and 3, TinyLlama, SmolLM2, Vicuna.\n");
    help_options(verb);
}
