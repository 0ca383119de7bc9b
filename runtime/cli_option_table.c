// cli_option_table.c: every option of a program, and the help made of them.
#include "cli_option_table.h"
#include "cli_text.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(Cli, field)

const Option options[] = {
    { "-p --prompt", "TEXT", OPTION_TEXT, ASKS | TEXT, AT(prompt), 0, "text to continue" },
    { "-f --file", "FILE", OPTION_TEXT, ASKS | TEXT, AT(file), 0, "text to continue, from a file or - (stdin)" },
    { "--chat -cnv --conversation", "", OPTION_FLAG, TEXT, AT(chat), 0,
      "a conversation with the model's chat template; -p or -f is its first message" },
    { "-sys --system-prompt", "TEXT", OPTION_TEXT, TEXT, AT(system), 0, "of --chat: what the model is to be" },
    { "-st --single-turn", "", OPTION_FLAG, TEXT, AT(single_turn), 0, "of --chat: one message (-p, -f or all of stdin)" },
    { "-no-cnv --no-conversation", "", OPTION_FLAG, TEXT, AT(no_chat), 0, "accepted; without --chat a text is continued" },
    { "--ids-in", "LIST|FILE", OPTION_TEXT, ASKS | TEXT, AT(ids_in), 0,
      "token ids to continue: 1,2,3, a file of them or -" },
    { "-n --predict --n-predict", "N", OPTION_COUNT, TEXT, AT(n), -1,
      "tokens to make; default -1: until the text ends" },
    { "-c --ctx-size", "N", OPTION_COUNT, RUNS, AT(context), 0, "context to use, at most the compiled one; 0: that" },
    { "--ids", "", OPTION_FLAG, TEXT, AT(ids), 0, "print token ids instead of text" },
    { "--logits", "FILE", OPTION_TEXT, TEXT, AT(logits), 0, "write raw float32 logits [position][vocab]" },
    { "--trace", "FILE", OPTION_TEXT, TEXT | EXPLAIN, AT(trace), 0,
      "of a program made with -ftrace: each worker's waves in the last tokens, for Perfetto" },
    { "--hash", "", OPTION_FLAG, TEXT, AT(hash), 0, "print the hash of all ids and of all logits on stderr" },
    { "--ignore-eos", "", OPTION_FLAG, TEXT, AT(ignore_eos), 0, "go on after the end of the text" },
    { "--stop --reverse-prompt -r", "TEXT", OPTION_LIST, TEXT, AT(stop), 0,
      "the text ends before TEXT; may be given again" },
    { "--special", "", OPTION_FLAG, TEXT, AT(special), 0, "print special tokens" },
    { "-e --escape", "", OPTION_FLAG, TEXT, AT(escape), 0,
      "\\n \\t \\\\ \\\" \\' \\r \\xHH in prompt and --stop mean what they do in C" },
    { "--temp --temperature", "T", OPTION_SAMPLING, TEXT | SERVE, 0, SAMPLING_TEMPERATURE,
      "0: the largest logit is taken, which is the default; over 0: ids are drawn" },
    { "--top-k", "N", OPTION_SAMPLING, TEXT | SERVE, 0, SAMPLING_TOP_K, "of --temp: draw from the N largest (40); 0: from all" },
    { "--top-p", "P", OPTION_SAMPLING, TEXT | SERVE, 0, SAMPLING_TOP_P,
      "of --temp: from as few as have P of the probability (0.95); 1: from all" },
    { "--min-p", "P", OPTION_SAMPLING, TEXT | SERVE, 0, SAMPLING_MIN_P,
      "of --temp: from those with P of the largest probability (0.05); 0: from all" },
    { "-s --seed", "N", OPTION_TEXT, TEXT, AT(seed), 0, "of --temp: the same seed gives the same text; default -1: any" },
    { "--repeat-penalty", "R", OPTION_SAMPLING, TEXT | SERVE, 0, SAMPLING_REPEAT,
      "make ids of the last tokens less likely: over 1 (1: no)" },
    { "--presence-penalty", "R", OPTION_SAMPLING, TEXT | SERVE, 0, SAMPLING_PRESENCE, "taken off their logits once (0)" },
    { "--frequency-penalty", "R", OPTION_SAMPLING, TEXT | SERVE, 0, SAMPLING_FREQUENCY, "taken off for each time (0)" },
    { "--repeat-last-n", "N", OPTION_SAMPLING, TEXT | SERVE, 0, SAMPLING_WINDOW,
      "of the penalties: the last N tokens, the prompt's too (64); -1: all" },
    { "-l --logit-bias", "ID+B", OPTION_LIST, TEXT, AT(logit_bias), 0,
      "added to the id's logit, or ID-inf: never; may be given again" },
    { "--logprobs", "K", OPTION_COUNT, TEXT, AT(logprobs), 0,
      "of --json: log-probabilities of each id and of the K largest, at most 20" },
    { "--weights", "FILE|random:SEED", OPTION_TEXT, RUNS | FACTS, AT(weights), 0,
      "default: those in the program, or its name with .llmw" },
    { "-dev --device", "D", OPTION_TEXT, RUNS, AT(device), 0, "index, UUID or part of the name" },
    { "--tokens-per-launch", "N", OPTION_COUNT, RUNS, AT(launch_tokens), 1, "at most so many" },
    { "--bench", "[N]", OPTION_OPTIONAL, ASKS | BENCH, AT(bench), 1, "time launches of N tokens (64)" },
    { "--explain", "", OPTION_FLAG, ASKS | EXPLAIN, AT(explain), 0,
      "of a program made with -ftrace: predicted and measured time of each wave, and where it goes" },
    { "-r --repeats", "R", OPTION_COUNT, BENCH | EXPLAIN, AT(repeats), 1, "of --bench and --explain: launches a context" },
    { "--ctx", "LIST", OPTION_TEXT, BENCH | VERIFY | EXPLAIN, AT(contexts), 0, "of --bench, --verify and --explain: contexts" },
    { "-o --output", "md|jsonl|csv", OPTION_TEXT, BENCH, AT(output), 0, "of --bench; or a file that ends in .md, .jsonl or .csv" },
    { "--verify", "[N]", OPTION_OPTIONAL, ASKS | VERIFY, AT(verify), 1,
      "compare N positions (4) with the reference in plain C" },
    { "--self-check", "", OPTION_FLAG, ASKS | CHECK, AT(self_check), 0,
      "package, weights, device, repeated bits, reference" },
    { "--info", "", OPTION_FLAG, ASKS | FACTS, AT(info), 0, "what this program is" },
    { "--plan", "", OPTION_FLAG, ASKS | SECTION, AT(plan), 0, "print the plan (JSON)" },
    { "--source", "", OPTION_FLAG, ASKS | SECTION, AT(source), 0, "print the kernel's source" },
    { "--license --licence", "", OPTION_FLAG, ASKS | SECTION, AT(license), 0, "print the model's licence files" },
    { "--list-devices", "", OPTION_FLAG, ASKS | FACTS, AT(list_devices), 0, "index, name and UUID of each" },
    { "--serve", "[HOST:PORT]", OPTION_MAYBE, ASKS | SERVE, AT(serve), 0,
      "OpenAI's API and a page at 127.0.0.1:8080; needs libmicrohttpd" },
    { "--host", "HOST", OPTION_TEXT, SERVE, AT(host), 0, "of --serve: 0.0.0.0 for all machines" },
    { "--port", "PORT", OPTION_COUNT, SERVE, AT(port), 0, "of --serve; 0: one that is free" },
    { "--api-key", "KEY", OPTION_TEXT, SERVE, AT(api_key), 0, "of --serve; better as LLMC_ARG_API_KEY" },
    { "-to --timeout", "SECONDS", OPTION_COUNT, SERVE, AT(timeout), 1,
      "of --serve: a client has so long to send a request, or to take some of an answer (60)" },
    { "--cors", "ORIGIN", OPTION_TEXT, SERVE, AT(cors), 0, "of --serve: this site's pages, or *, may use it" },
    { "--json", "", OPTION_FLAG, (RUNS & ~SERVE) | FACTS, AT(json), 0, "one JSON object on stdout" },
    { "--verbose-prompt", "", OPTION_FLAG, TEXT, AT(verbose_prompt), 0, "ids of the prompt on stderr" },
    { "--no-display-prompt", "", OPTION_FLAG, TEXT, AT(no_display_prompt), 0, "accepted; the prompt is never printed" },
    { "-q --quiet --log-disable", "", OPTION_FLAG, ANY, AT(quiet), 0, "no statistics, progress or notes; warnings stay" },
    { "--color --colour --log-colors", "WHEN", OPTION_TEXT, ANY, AT(colour_when), 0,
      "auto (on a terminal, unless NO_COLOR is set), always or never" },
    { "-v --verbose", "", OPTION_FLAG, ANY, AT(verbose), 0, "say which device is used" },
    { "-h --help", "", OPTION_FLAG, ANY, AT(help), 0, "this text" },
    { "--version", "", OPTION_FLAG, ASKS | FACTS, AT(version), 0, "version and model" },
    { "--chat-template --chat-template-file", "", OPTION_LATER, ANY, 0, 0,
      "it is compiled in: llmc pack MODEL --into PROGRAM --chat-template" },
    { "-i -mli", "", OPTION_LATER, ANY, 0, 0, "interactive modes beside --chat" },
    { "--log-file", "", OPTION_LATER, ANY, 0, 0, "logs" },
    { "-m --model -hf", "", OPTION_LATER, ANY, 0, 0, "the model is in the program: llmc compile MODEL" },
    { "-t --threads -ngl --gpu-layers", "", OPTION_LATER, ANY, 0, 0, "it is compiled in: llmc compile --help" },
};

const int options_count = sizeof options / sizeof *options;
_Static_assert(sizeof options / sizeof *options <= OPTIONS_MOST, "OPTIONS_MOST");

// What the program's package says; nothing where it cannot be read, since the help is there for anybody.
static void print_made_for(const Cli *cli, FILE *out)
{
    Package package;
    RtError error;
    if (package_open(&package, "/proc/self/exe", cli->name, &error) != RT_OK)
        return;
    const PkgPlan *plan = package.plan;
    const char *device = plan->device == PKG_CPU ? "the CPU" : plan->gpu;
    fputs(" for ", out);
    print_clean(out, device, strlen(device));
    fputs(" (target ", out);
    print_clean(out, plan->target, strlen(plan->target));
    fputc(')', out);
    package_close(&package);
}

void cli_usage(const Cli *cli, FILE *out)
{
    fprintf(out, "%s: a language model compiled", cli->name);
    print_made_for(cli, out);
    fprintf(out, " by llmc %s\n\n", LLMC_VERSION_TEXT);
    fprintf(out, "  %s -p \"The capital of France is\" -n 64\n\n", cli->name);
    for (int i = 0; i < options_count; ++i) {
        const Option *o = &options[i];
        if (o->kind == OPTION_LATER)
            continue;
        char left[64];
        snprintf(left, sizeof left, "%s %s", o->names, o->value);
        fprintf(out, "  %-34s %s\n", left, o->help);
    }
    fprintf(out, "\n--opt value and --opt=value mean the same; LLMC_ARG_TOP_K for --top-k, and so on for long names, is read first;\n"
                 "a variable LLMC_ARG_.. that nobody knows is named.\n"
                 "Exit codes: 0 done, 1 a bug, 2 usage, 3 input refused, 5 device, 6 does not fit, 7 verification failed,\n"
                 "8 numeric fault, 9 input/output, 130 Ctrl-C.\n");
}
