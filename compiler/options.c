// options.c: the command line of llmc, from one table of verbs and one of options.
#include "verbs.h"

#include "base/diag.h"
#include "base/file.h"
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
    { VERB_PLAN, "plan", "llmc plan MODEL [--target T] [--json]", "show waves, tasks, bytes, floor, predicted time" },
    { VERB_RENDER, "render", "llmc render plan.json [-o decode.cu]", "a plan into CUDA C" },
    { VERB_VERIFY, "verify", "llmc verify PROGRAM|plan.json [--model MODEL]", "prove a plan; check a program, its weights and results" },
    { VERB_TARGETS, "targets", "llmc targets [NAME]", "list the GPUs that are described; show one" },
    { VERB_EXPLAIN, "explain", "llmc explain E0412", "what an error number means and what to do" },
    { VERB_HELP, "help", "llmc help [VERB]", "this text, or a verb's options" },
};

// Verbs of the plan that this version does not have.
static const char *const later[] = { "presets", "fit", "inspect", "diff", "probe", "doctor", "run", "completion", "lib" };

typedef enum Kind { FLAG, INT, TEXT, LIST, MAYBE, LATER } Kind; // MAYBE: --opt or --opt=TEXT; LATER: not in this version

typedef struct OptionInfo {
    const char *name, *short_name, *value, *help;
    Kind kind;
    unsigned verbs;
    int low, high;  // INT
    size_t at;      // of its field in Options
} OptionInfo;

#define AT(field) offsetof(Options, field)

static const OptionInfo options[] = {
    { "--target", NULL, "T", "sm_86, a card of `llmc targets`, a JSON file, native, cpu; may be given again", LIST, MAKERS, 0, 0, AT(targets) },
    { "--output", "-o", "FILE", "program to write (default: the model's name); - is stdout for text", TEXT, MAKERS | VERBS(VERB_RENDER), 0, 0, AT(out) },
    { "--emit", NULL, "KIND", "stop there and write it: config graph fuse plan plan.json cuda map cubin report", LIST, BUILDERS, 0, 0, AT(emits) },
    { "--ctx", NULL, "N", "positions of the K/V cache (default: the model's maximum, or what fits)", INT, MAKERS, 1, 1 << 24, AT(plan.ctx) },
    { "--kv-type", NULL, "TYPE", "f16 (default), bf16 or f32", TEXT, MAKERS, 0, 0, AT(plan.kv) },
    { "--workers", NULL, "N", "workers, at most one a multiprocessor", INT, MAKERS, 1, 4096, AT(plan.workers) },
    { "--sms", NULL, "N", "the same", INT, MAKERS, 1, 4096, AT(plan.workers) },
    { "--threads", NULL, "N", "threads of a worker, a multiple of 32", INT, MAKERS, 32, 1024, AT(plan.threads) },
    { "--sync", NULL, "KIND", "how waves end: barrier", TEXT, MAKERS, 0, 0, AT(plan.sync) },
    { "--feed", NULL, "KIND", "how weights are read: plain", TEXT, MAKERS, 0, 0, AT(plan.feed) },
    { "--weights", NULL, "W", "a path, none, or random:SEED (default: the model's own)", TEXT, READERS, 0, 0, AT(weights) },
    { "--plan", NULL, "FILE", "take this plan.json instead of planning; it is proved again", TEXT, BUILDERS, 0, 0, AT(plan_file) },
    { "--arch", NULL, "sm_XX", "code for another architecture (or cpu), plan unchanged", TEXT, BUILDERS, 0, 0, AT(build.sm) },
    { "--templates", NULL, "DIR", "templates to use instead of the built-in ones", TEXT, BUILDERS | VERBS(VERB_RENDER), 0, 0, AT(templates) },
    { "--nvcc", NULL, "PATH", "build with nvcc (default when it is found)", MAYBE, BUILDERS, 0, 0, AT(build.nvcc) },
    { "--nvrtc", NULL, "PATH", "build with NVRTC: a library or its folder", MAYBE, BUILDERS, 0, 0, AT(build.nvrtc) },
    { "-Xnvcc", NULL, "ARG", "one more argument for nvcc", LIST, BUILDERS, 0, 0, AT(extra) },
    { "--no-build", NULL, NULL, "plan and render only", FLAG, BUILDERS, 0, 0, AT(no_build) },
    { "--save-temps", NULL, "DIR", "keep the compiler's intermediate files", MAYBE, BUILDERS, 0, 0, AT(build.save_temps) },
    { "--time-report", NULL, NULL, "time of each step, on stderr", FLAG, BUILDERS, 0, 0, AT(time_report) },
    { "--redzone", NULL, NULL, "4096 unused bytes between buffers, for tests", FLAG, MAKERS, 0, 0, AT(plan.redzone) },
    { "--force", "-f", NULL, "replace an output that llmc did not make", FLAG, BUILDERS, 0, 0, AT(force) },
    { "--into", NULL, "PROGRAM", "the program that gets weights and tokenizer", TEXT, VERBS(VERB_PACK), 0, 0, AT(into) },
    { "--model", NULL, "MODEL", "the checkpoint that packed weights are compared with", TEXT, VERBS(VERB_VERIFY), 0, 0, AT(model) },
    { "--line", NULL, NULL, "#line directives to the templates", FLAG, VERBS(VERB_RENDER) | BUILDERS, 0, 0, AT(line) },
    { "--map", NULL, "FILE", "write the map from lines of the text to templates", TEXT, VERBS(VERB_RENDER), 0, 0, AT(map) },
    { "--json", NULL, NULL, "plan.json instead of the table", FLAG, VERBS(VERB_PLAN), 0, 0, AT(json) },
    { "--verbose", "-v", NULL, "print the commands that are run", FLAG, ALL, 0, 0, AT(build.verbose) },
    { "-###", NULL, NULL, "print the commands, run nothing", FLAG, BUILDERS, 0, 0, AT(build.dry_run) },
    { "--help", "-h", NULL, "the verb's options", FLAG, ALL, 0, 0, AT(help) },
    { "--dtype", NULL, "T", NULL, LATER, ALL, 0, 0, 0 },
    { "--bundle", NULL, NULL, NULL, LATER, ALL, 0, 0, 0 },
    { "--why", NULL, NULL, NULL, LATER, ALL, 0, 0, 0 },
    { "--chat-template", NULL, "T", NULL, LATER, ALL, 0, 0, 0 },
    { "--tokens-per-launch", NULL, "N", NULL, LATER, ALL, 0, 0, 0 },
    { "--license", NULL, "FILE", NULL, LATER, ALL, 0, 0, 0 },
    { "--prefix", NULL, "FILE", NULL, LATER, ALL, 0, 0, 0 },
    { "--pre", NULL, "NAME", NULL, LATER, ALL, 0, 0, 0 },
};

// How messages look; kept in the environment, where diag.c finds it.
static const struct {
    const char *name, *variable, *help;
} message_options[] = {
    { "--color", "LLMC_ARG_COLOR", "--color=auto|always|never" },
    { "--diagnostics-format", "LLMC_ARG_DIAGNOSTICS_FORMAT", "--diagnostics-format=text|json" },
    { "--max-errors", "LLMC_ARG_MAX_ERRORS", "--max-errors=N  errors of one check that are printed (20)" },
};

static _Noreturn void unknown(const char *word, const char *kind, const char *const *names, int n)
{
    const char *near = str_nearest(word, names, n);
    Loc at = NOWHERE;
    Arena *a = arena_new();
    if (near)
        at.hint = str_format(a, "did you mean %s?", near);
    else
        at.hint = "`llmc --help` lists verbs and options";
    error_at(at, str_equal(kind, "option") ? ERR_OPTION_UNKNOWN : ERR_USAGE, "unknown %s \"%s\"", kind, word);
}

static Verb find_verb(const char *word)
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
    unknown(word, "verb", names, ARRAY_LEN(names));
}

Verb verb_named(const char *name)
{
    return find_verb(name);
}

static int to_int(const OptionInfo *o, const char *text)
{
    char *end = NULL;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || n < o->low || n > o->high)
        error_at(NOWHERE, ERR_OPTION_VALUE, "%s is \"%s\": must be a whole number from %d to %d", o->name, text, o->low, o->high);
    return (int)n;
}

static int to_choice(const OptionInfo *o, const char *text, int found, const char *want)
{
    if (found < 0)
        error_at(NOWHERE, ERR_OPTION_VALUE, "%s is \"%s\": must be one of %s", o->name, text, want);
    return found;
}

// Options whose text is a choice or a number in disguise.
static bool set_special(Options *out, const OptionInfo *o, const char *text)
{
    if (str_equal(o->name, "--kv-type"))
        out->plan.kv = (KvType)to_choice(o, text, kv_find(text), "f16 bf16 f32");
    else if (str_equal(o->name, "--sync"))
        out->plan.sync = to_choice(o, text, sync_find(text), "barrier packets");
    else if (str_equal(o->name, "--feed"))
        out->plan.feed = to_choice(o, text, feed_find(text), "plain async bulk");
    else if (str_equal(o->name, "--arch") && str_equal(text, "cpu"))
        out->build.cpu = true;
    else if (str_equal(o->name, "--arch"))
        out->build.sm = str_starts(text, "sm_") && strspn(text + 3, "0123456789") == strlen(text + 3) && text[3]
                            ? atoi(text + 3)
                            : to_choice(o, text, -1, "sm_75 sm_80 sm_86 sm_89 sm_90 sm_120 cpu");
    else
        return false;
    return true;
}

static void set(Arena *a, Options *out, const OptionInfo *o, const char *text)
{
    void *field = (char *)out + o->at;
    switch (o->kind) {
    case FLAG:
        *(bool *)field = true;
        break;
    case INT:
        *(int *)field = to_int(o, text);
        break;
    case TEXT:
    case MAYBE:
        if (!set_special(out, o, text))
            *(const char **)field = text;
        break;
    case LIST:
        for (const char *s = text; *s; s += strcspn(s, ","), s += *s == ',') {
            const char *one = str_equal(o->name, "-Xnvcc") ? text : str_copy(a, s, strcspn(s, ","));
            vec_push(a, (Names *)field, one);
            if (one == text)
                break;
        }
        break;
    case LATER:
        break;
    }
}

static bool message_option(const char *word, char **argv, int argc, int *i)
{
    for (int k = 0; k < ARRAY_LEN(message_options); ++k) {
        const size_t n = strlen(message_options[k].name);
        if (strncmp(word, message_options[k].name, n) != 0 || (word[n] && word[n] != '='))
            continue;
        const char *value = word[n] ? word + n + 1 : *i + 1 < argc ? argv[++*i] : "";
        setenv(message_options[k].variable, value, 1);
        return true;
    }
    if (str_equal(word, "-q") || str_equal(word, "--quiet"))
        setenv("LLMC_ARG_QUIET", "1", 1);
    else if (str_equal(word, "-Werror") || str_equal(word, "--strict"))
        setenv("LLMC_ARG_WERROR", "1", 1);
    else if (str_starts(word, "-Wno-")) {
        const char *off = getenv("LLMC_ARG_NO_WARN");
        char list[512];
        snprintf(list, sizeof list, "%s%s,", off ? off : ",", word + 5);
        setenv("LLMC_ARG_NO_WARN", list, 1);
    } else {
        return false;
    }
    return true;
}

static const OptionInfo *find_option(const char *word, const char **inline_value)
{
    *inline_value = NULL;
    for (int i = 0; i < ARRAY_LEN(options); ++i) {
        const OptionInfo *o = &options[i];
        const size_t n = strlen(o->name);
        if (str_equal(word, o->name) || (o->short_name && str_equal(word, o->short_name)))
            return o;
        if (strncmp(word, o->name, n) == 0 && word[n] == '=') {
            *inline_value = word + n + 1;
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

static void one_option(Arena *a, Options *out, char **argv, int argc, int *i)
{
    const char *word = argv[*i], *value = NULL;
    if (message_option(word, argv, argc, i))
        return;
    if (emit_letter(word) && out->verb == VERB_COMPILE) {
        vec_push(a, &out->emits, emit_letter(word));
        return;
    }
    if (str_equal(word, "-O2"))
        return; // the only level of this version
    const OptionInfo *o = find_option(word, &value);
    if (!o && (str_starts(word, "-O") || str_starts(word, "-f")))
        error_at(NOWHERE, ERR_NOT_IN_THIS_VERSION, "%s: not in this version", word);
    if (!o) {
        const char *names[ARRAY_LEN(options)];
        for (int k = 0; k < ARRAY_LEN(options); ++k)
            names[k] = options[k].name;
        unknown(word, "option", names, ARRAY_LEN(names));
    }
    if (o->kind == LATER)
        error_at(NOWHERE, ERR_NOT_IN_THIS_VERSION, "%s: not in this version", o->name);
    if (!(o->verbs & VERBS(out->verb)))
        error_at(NOWHERE, ERR_OPTION_UNKNOWN, "%s is not an option of this verb", o->name);
    if (o->kind == FLAG && value)
        error_at(NOWHERE, ERR_OPTION_VALUE, "%s takes no value", o->name);
    if (o->kind == MAYBE && !value)
        value = "";
    if (o->kind != FLAG && !value) {
        if (*i + 1 >= argc)
            error_at(NOWHERE, ERR_OPTION_VALUE, "%s needs a value: %s", o->name, o->value);
        value = argv[++*i];
    }
    set(a, out, o, value);
}

typedef VEC(char *) Words;

// "@file": the words of a file, split at white space.
static void expand_words(Arena *a, int argc, char **argv, Words *words)
{
    for (int i = 0; i < argc; ++i) {
        if (i == 0 || argv[i][0] != '@') {
            vec_push(a, words, argv[i]);
            continue;
        }
        const Bytes text = file_read(a, argv[i] + 1);
        for (const char *s = (const char *)text.at; *s;) {
            s += strspn(s, " \t\r\n");
            const size_t n = strcspn(s, " \t\r\n");
            if (n)
                vec_push(a, words, (char *)str_copy(a, s, n));
            s += n;
        }
    }
}

Options options_parse(Arena *a, int argc, char **argv)
{
    Options out = { .plan = { .sync = -1, .feed = -1 } };
    Words words = { 0 };
    expand_words(a, argc, argv, &words);
    if (words.n < 2)
        return out;
    const char *first = words.at[1];
    if (str_equal(first, "--version") || str_equal(first, "-h") || str_equal(first, "--help")) {
        out.verb = str_equal(first, "--version") ? VERB_VERSION : VERB_HELP;
        return out;
    }
    out.verb = find_verb(first);
    bool options_end = false;
    for (int i = 2; i < words.n; ++i) {
        char *word = words.at[i];
        if (!options_end && str_equal(word, "--"))
            options_end = true;
        else if (!options_end && word[0] == '-' && word[1])
            one_option(a, &out, words.at, words.n, &i);
        else if (out.operand)
            error_at(NOWHERE, ERR_USAGE, "one operand is taken, \"%s\" is a second one", word);
        else
            out.operand = word;
    }
    out.build.extra = out.extra.at;
    out.build.n_extra = out.extra.n;
    if (out.plan.threads % 32)
        error_at(NOWHERE, ERR_OPTION_VALUE, "--threads is %d: must be a multiple of 32", out.plan.threads);
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
    printf("Messages: -q  -Werror  -Wno-NAME  %s  %s  %s\n", message_options[0].help, message_options[1].help, message_options[2].help);
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
        printf("\n`llmc help VERB` lists a verb's options. MODEL is a config.json, a Hugging Face folder or a .gguf file.\n");
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
