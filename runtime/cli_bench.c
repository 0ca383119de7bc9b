// cli_bench.c: --bench: verified, then timed, on a GPU with the floor measured in the same run.
#include "bench.h"
#include "cli_file.h"
#include "cli_json.h"
#include "cli_stats.h"
#include "interrupt.h"
#include "verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VERIFIED_POSITIONS = 2, PROMPT_TOKENS = 128 };

typedef struct Row {
    int context;
    double mean_context;
    BenchTimes times;
    const double *samples; // [times.n] ms a token, in the order they were taken
    BenchTimes single;     // launches of one token each, where the table has room for them; n 0: not taken
    double single_context;
} Row;

typedef struct Bench {
    const Cli *cli;
    Rt *rt;
    int tokens, repeats, contexts, prompt_tokens; // prompt_tokens 0: no row for prompts
    int list[CLI_CONTEXTS];
    Row rows[CLI_CONTEXTS];
    bool floor;                       // a read of the weights bounds a token; else NO_FLOOR says why not
    BenchTimes prompt, before, after; // before, after: one read of the weights, where it does
    double worst;                     // relative error of the check
    FILE *out;                        // of the table
} Bench;

static RtStatus choose(Bench *b)
{
    static const int usual[] = { 1, 1024, 4096 };
    const Cli *cli = b->cli;
    const bool cpu = b->rt->package.plan->device == PKG_CPU;
    const int context = b->rt->context;
    b->floor = !cpu;
    b->tokens = cpu ? 4 : REQUEST_TOKENS;
    if (b->tokens > context)
        b->tokens = context;
    if (cli->bench > 0)
        b->tokens = cli->bench;
    b->repeats = cli->repeats ? cli->repeats : cpu ? 3 : 20;
    b->prompt_tokens = cpu || context < PROMPT_TOKENS ? 0 : PROMPT_TOKENS;
    for (int i = 0; i < cli->lists; ++i)
        b->list[b->contexts++] = cli->list[i];
    for (int i = 0; i < 3 && !cli->lists; ++i)
        if (usual[i] <= context)
            b->list[b->contexts++] = usual[i];
    return RT_OK;
}

static void take_worst(void *context, const VerifyPosition *v)
{
    Bench *b = context;
    if (v->relative > b->worst)
        b->worst = v->relative;
}

// No speed without a passed check: a few positions at the first context.
static RtStatus check_first(Bench *b)
{
    bool passed;
    const int context = b->list[0], n = b->rt->context < VERIFIED_POSITIONS ? 1 : VERIFIED_POSITIONS;
    if (verify_run(b->rt, context, n, take_worst, b, &passed) != RT_OK)
        return RT_FAILED;
    return passed ? RT_OK : RT_FAILED;
}

// What the peers' scripts call step_sync: the host's clock around one token.
static RtStatus measure_single(Bench *b, Row *row, double *ms, double *scratch)
{
    if (b->cli->table == TABLE_MD || b->tokens == 1)
        return RT_OK;
    if (bench_decode(b->rt, row->context, 1, b->repeats, ms, &row->single_context) != RT_OK)
        return RT_FAILED;
    row->single = bench_summary(ms, scratch, b->repeats);
    return RT_OK;
}

// ms[repeats * (contexts + 2)]: the samples of each context and of the prompt, and room to sort.
static RtStatus measure(Bench *b, double *ms)
{
    Rt *rt = b->rt;
    double *scratch = ms + (size_t)b->repeats * ((size_t)b->contexts + 1);
    if (check_first(b) != RT_OK || (b->floor && bench_read(rt, 0.5, &b->before) != RT_OK))
        return RT_FAILED;
    for (int i = 0; i < b->contexts; ++i, ms += b->repeats) {
        Row *row = &b->rows[i];
        row->samples = ms;
        row->context = b->list[i];
        if (bench_decode(rt, row->context, b->tokens, b->repeats, ms, &row->mean_context) != RT_OK)
            return RT_FAILED;
        row->times = bench_summary(ms, scratch, b->repeats);
        if (measure_single(b, row, ms + b->repeats, scratch) != RT_OK)
            return RT_FAILED;
    }
    if (b->prompt_tokens) {
        if (bench_prompt(rt, b->prompt_tokens, b->repeats, ms) != RT_OK)
            return RT_FAILED;
        b->prompt = bench_summary(ms, scratch, b->repeats);
    }
    return b->floor ? bench_read(rt, 0, &b->after) : RT_OK;
}

// 10^9 bytes a second, from the reads before and after.
static double read_gbs(const Bench *b)
{
    return (double)package_matrix_bytes(&b->rt->package) / (0.5e6 * (b->before.median + b->after.median));
}

static double floor_at(const Bench *b, double context)
{
    return floor_ms(&b->rt->package, context, read_gbs(b));
}

static double row_floor(const Bench *b, const Row *row)
{
    return floor_at(b, row->mean_context);
}

static void print_md(const Bench *b)
{
    const PkgPlan *plan = b->rt->package.plan;
    fprintf(b->out, "%s on %s, %d tokens a launch, %d launches a context; checked: relative error %.1e (bound %.0e)\n",
           plan->name, b->rt->info.name, b->tokens, b->repeats, b->worst, verify_bound(plan->kv_format));
    if (b->floor)
        fprintf(b->out, "floor: the %s bytes of the matrices read in %s ms before, %s ms after: %.1f GB/s\n\n",
                count_text(package_matrix_bytes(&b->rt->package)).text, figure_ms(b->before.median).text,
                figure_ms(b->after.median).text, read_gbs(b));
    else
        fprintf(b->out, "no floor: " NO_FLOOR "\n\n");
    fprintf(b->out, "| context | ms/token | p10 | p90 | tok/s |%s\n", b->floor ? " floor ms | share of floor |" : "");
    fprintf(b->out, "|--------:|---------:|----:|----:|------:|%s\n", b->floor ? "---------:|---------------:|" : "");
    for (int i = 0; i < b->contexts; ++i) {
        const Row *row = &b->rows[i];
        fprintf(b->out, "| %d | %s | %s | %s | %.1f |", row->context, figure_ms(row->times.median).text,
               figure_ms(row->times.p10).text, figure_ms(row->times.p90).text, 1e3 / row->times.median);
        if (b->floor)
            fprintf(b->out, " %s | %.1f%% |", figure_ms(row_floor(b, row)).text, 100 * row_floor(b, row) / row->times.median);
        fputc('\n', b->out);
    }
    if (b->prompt_tokens)
        fprintf(b->out, "\nprompt of %d tokens: first token after %s ms (p10 %s, p90 %s)\n", b->prompt_tokens,
               figure_ms(b->prompt.median).text, figure_ms(b->prompt.p10).text, figure_ms(b->prompt.p90).text);
}

static void print_times(FILE *out, const BenchTimes *t)
{
    fprintf(out, "\"ms_median\":%.5f,\"ms_p10\":%.5f,\"ms_p90\":%.5f,\"n\":%d", t->median, t->p10, t->p90, t->n);
}

static void print_note(const Bench *b)
{
    const PkgPlan *plan = b->rt->package.plan;
    char note[416];
    snprintf(note, sizeof note, "%s on %s, llmc %s, plan %016llx, checked: relative error %.1e%s", plan->name,
             b->rt->info.name, plan->version, (unsigned long long)plan->plan_fingerprint, b->worst,
             b->floor ? "" : "; no floor: " NO_FLOOR);
    fprintf(b->out, ",\"note\":");
    json_text(b->out, note);
}

static void print_line(const Bench *b, const char *kind, const Row *row, const BenchTimes *t, double mean_context)
{
    fprintf(b->out, "{\"engine\":\"llmc\",\"kind\":\"%s\",\"ctx\":%d,", kind, row->context);
    print_times(b->out, t);
    fprintf(b->out, ",\"mean_ctx\":%.1f,\"floor_ms\":", mean_context);
    if (b->floor)
        fprintf(b->out, "%.5f,\"floor_share\":%.4f", floor_at(b, mean_context), floor_at(b, mean_context) / t->median);
    else
        fprintf(b->out, "null,\"floor_share\":null");
}

// The lines that the peers' scripts write, with the floor and the model beside.
static void print_jsonl(const Bench *b)
{
    const BenchTimes *reads[] = { &b->before, &b->after };
    for (int i = 0; i < 2 && b->floor; ++i) {
        fprintf(b->out, "{\"engine\":\"floor\",\"kind\":\"read\",\"style\":\"read_weights\",\"bytes\":%llu,",
               (unsigned long long)package_matrix_bytes(&b->rt->package));
        print_times(b->out, reads[i]);
        fprintf(b->out, ",\"GBps\":%.1f}\n", (double)package_matrix_bytes(&b->rt->package) / (1e6 * reads[i]->median));
    }
    for (int i = 0; i < b->contexts; ++i) {
        const Row *row = &b->rows[i];
        char kind[24];
        snprintf(kind, sizeof kind, "gen%d", b->tokens);
        print_line(b, kind, row, &row->times, row->mean_context);
        fprintf(b->out, ",\"samples_ms\":[");
        for (int j = 0; j < row->times.n; ++j)
            fprintf(b->out, "%s%.5f", j ? "," : "", row->samples[j]);
        fprintf(b->out, "]");
        print_note(b);
        fprintf(b->out, "}\n");
        if (row->single.n) {
            print_line(b, "step_sync", row, &row->single, row->single_context);
            print_note(b);
            fprintf(b->out, "}\n");
        }
    }
    if (b->prompt_tokens) {
        fprintf(b->out, "{\"engine\":\"llmc\",\"kind\":\"prefill\",\"ctx\":%d,", b->prompt_tokens);
        print_times(b->out, &b->prompt);
        print_note(b);
        fprintf(b->out, "}\n");
    }
}

// A line of the CSV; its last two columns are empty where there is no floor.
static void print_csv_line(const Bench *b, const char *kind, int context, const BenchTimes *t, double mean_context)
{
    fprintf(b->out, "llmc,%s,%d,%.5f,%.5f,%.5f,%d,", kind, context, t->median, t->p10, t->p90, t->n);
    if (b->floor)
        fprintf(b->out, "%.5f,%.4f\n", floor_at(b, mean_context), floor_at(b, mean_context) / t->median);
    else
        fprintf(b->out, ",\n");
}

static void print_csv(const Bench *b)
{
    fprintf(b->out, "engine,kind,ctx,ms_median,ms_p10,ms_p90,n,floor_ms,floor_share\n");
    for (int i = 0; i < b->contexts; ++i) {
        const Row *row = &b->rows[i];
        char kind[24];
        snprintf(kind, sizeof kind, "gen%d", b->tokens);
        print_csv_line(b, kind, row->context, &row->times, row->mean_context);
        if (row->single.n)
            print_csv_line(b, "step_sync", row->context, &row->single, row->single_context);
    }
    if (b->prompt_tokens)
        fprintf(b->out, "llmc,prefill,%d,%.5f,%.5f,%.5f,%d,,\n", b->prompt_tokens, b->prompt.median, b->prompt.p10,
               b->prompt.p90, b->prompt.n);
    if (!b->floor)
        cli_note(b->cli, "no floor: " NO_FLOOR);
}

static void print(const Bench *b)
{
    if (b->cli->table == TABLE_JSONL)
        print_jsonl(b);
    else if (b->cli->table == TABLE_CSV)
        print_csv(b);
    else
        print_md(b);
}

// The file of -o gets its name when the table is complete in it.
static RtStatus write_file(Bench *b, bool try_only)
{
    RtError *error = &b->rt->error;
    const char *path = b->cli->table_file;
    char part[4096];
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        return rt_fail(error, ERR_WRITE, "the name of a file is %zu bytes long", strlen(path));
    b->out = fopen(part, "w");
    if (!b->out)
        return rt_fail(error, ERR_WRITE, "%.400s: %s", path, strerror(errno));
    if (!try_only)
        print(b);
    errno = 0;
    const bool wrong = ferror(b->out) != 0, closed = fclose(b->out) == 0;
    if (!wrong && closed && (try_only ? remove(part) : rename(part, path)) == 0)
        return RT_OK;
    const int why = errno ? errno : EIO;
    remove(part);
    return rt_fail(error, ERR_WRITE, "%.400s: %s", path, strerror(why));
}

// ms: see measure. Whether the file can be written is known before anything is timed.
static RtStatus run(Bench *b, double *ms)
{
    const bool to_file = b->cli->table_file != NULL;
    if (to_file && cli_file_is_free(b->cli, b->rt, "-o", b->cli->table_file, &b->rt->error) != RT_OK)
        return RT_FAILED;
    if ((to_file && write_file(b, true) != RT_OK) || measure(b, ms) != RT_OK)
        return RT_FAILED;
    if (to_file)
        return write_file(b, false);
    b->out = stdout;
    print(b);
    return RT_OK;
}

int cli_bench(Cli *cli)
{
    int code = 0;
    cli->ignore_eos = true; // every launch has all its tokens
    Rt *rt = cli_open(cli, NULL, &code);
    if (!rt)
        return code;
    interrupt_release();
    Bench b = { .cli = cli, .rt = rt };
    double *ms = NULL;
    RtStatus status = choose(&b);
    if (status == RT_OK) {
        ms = malloc((size_t)b.repeats * ((size_t)b.contexts + 2) * sizeof *ms);
        status = ms ? run(&b, ms) : rt_fail(&rt->error, ERR_MEMORY, "no memory for %d times", b.repeats);
    }
    if (status != RT_OK)
        code = cli_complain(cli, &rt->error);
    free(ms);
    rt_close(rt);
    return code;
}
