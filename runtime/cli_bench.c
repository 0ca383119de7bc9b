// cli_bench.c: --bench: verified, then timed, with the floor measured on this device in the same run.
#include "bench.h"
#include "cli_json.h"
#include "cli_stats.h"
#include "interrupt.h"
#include "verify.h"

#include <stdlib.h>
#include <string.h>

enum { VERIFIED_POSITIONS = 2, PROMPT_TOKENS = 128 };

typedef struct Row {
    int context;
    double mean_context;
    BenchTimes times;
    const double *samples; // [times.n] ms a token, in the order they were taken
} Row;

typedef struct Bench {
    const Cli *cli;
    Rt *rt;
    int tokens, repeats, contexts, prompt_tokens; // prompt_tokens 0: no row for prompts
    int list[CLI_CONTEXTS];
    Row rows[CLI_CONTEXTS];
    BenchTimes prompt, before, after; // before, after: one read of the weights
    double worst;                     // relative error of the check
} Bench;

static RtStatus choose(Bench *b)
{
    static const int usual[] = { 1, 1024, 4096 };
    const Cli *cli = b->cli;
    const bool cpu = b->rt->package.plan->device == PKG_CPU;
    const int context = b->rt->context;
    b->tokens = cpu ? 4 : REQUEST_TOKENS;
    if (b->tokens > context)
        b->tokens = context;
    if (cli->bench > REQUEST_TOKENS)
        return rt_fail(&b->rt->error, ERR_OPTION_VALUE, "--bench is %d: a launch has at most %d tokens", cli->bench,
                       REQUEST_TOKENS);
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

// ms[repeats * (contexts + 2)]: the samples of each context and of the prompt, and room to sort.
static RtStatus measure(Bench *b, double *ms)
{
    Rt *rt = b->rt;
    double *scratch = ms + (size_t)b->repeats * ((size_t)b->contexts + 1);
    const double warm = rt->package.plan->device == PKG_CPU ? 0 : 0.5;
    if (check_first(b) != RT_OK || bench_read(rt, warm, &b->before) != RT_OK)
        return RT_FAILED;
    for (int i = 0; i < b->contexts; ++i, ms += b->repeats) {
        Row *row = &b->rows[i];
        row->samples = ms;
        row->context = b->list[i];
        if (bench_decode(rt, row->context, b->tokens, b->repeats, ms, &row->mean_context) != RT_OK)
            return RT_FAILED;
        row->times = bench_summary(ms, scratch, b->repeats);
    }
    if (b->prompt_tokens) {
        if (bench_prompt(rt, b->prompt_tokens, b->repeats, ms) != RT_OK)
            return RT_FAILED;
        b->prompt = bench_summary(ms, scratch, b->repeats);
    }
    return bench_read(rt, 0, &b->after);
}

// 10^9 bytes a second, from the reads before and after.
static double read_gbs(const Bench *b)
{
    return (double)package_matrix_bytes(&b->rt->package) / (0.5e6 * (b->before.median + b->after.median));
}

static double row_floor(const Bench *b, const Row *row)
{
    return floor_ms(&b->rt->package, row->mean_context, read_gbs(b));
}

static void print_md(const Bench *b)
{
    const PkgPlan *plan = b->rt->package.plan;
    printf("%s on %s, %d tokens a launch, %d launches a context; checked: relative error %.1e (bound %.0e)\n",
           plan->name, b->rt->info.name, b->tokens, b->repeats, b->worst, verify_bound(plan->kv_format));
    printf("floor: the %s bytes of the matrices read in %s ms before, %s ms after: %.1f GB/s\n\n",
           count_text(package_matrix_bytes(&b->rt->package)).text, figure_ms(b->before.median).text,
           figure_ms(b->after.median).text, read_gbs(b));
    printf("| context | ms/token | p10 | p90 | tok/s | floor ms | share of floor |\n");
    printf("|--------:|---------:|----:|----:|------:|---------:|---------------:|\n");
    for (int i = 0; i < b->contexts; ++i) {
        const Row *row = &b->rows[i];
        printf("| %d | %s | %s | %s | %.1f | %s | %.1f%% |\n", row->context, figure_ms(row->times.median).text,
               figure_ms(row->times.p10).text, figure_ms(row->times.p90).text, 1e3 / row->times.median,
               figure_ms(row_floor(b, row)).text, 100 * row_floor(b, row) / row->times.median);
    }
    if (b->prompt_tokens)
        printf("\nprompt of %d tokens: first token after %s ms (p10 %s, p90 %s)\n", b->prompt_tokens,
               figure_ms(b->prompt.median).text, figure_ms(b->prompt.p10).text, figure_ms(b->prompt.p90).text);
}

static void print_times(const BenchTimes *t)
{
    printf("\"ms_median\":%.5f,\"ms_p10\":%.5f,\"ms_p90\":%.5f,\"n\":%d", t->median, t->p10, t->p90, t->n);
}

static void print_note(const Bench *b)
{
    const PkgPlan *plan = b->rt->package.plan;
    char note[320];
    snprintf(note, sizeof note, "%s on %s, llmc %s, plan %016llx, checked: relative error %.1e", plan->name,
             b->rt->info.name, plan->version, (unsigned long long)plan->plan_fingerprint, b->worst);
    printf(",\"note\":");
    json_text(stdout, note);
}

// The lines that the peers' scripts write, with the floor and the model beside.
static void print_jsonl(const Bench *b)
{
    const BenchTimes *reads[] = { &b->before, &b->after };
    for (int i = 0; i < 2; ++i) {
        printf("{\"engine\":\"floor\",\"kind\":\"read\",\"style\":\"read_weights\",\"bytes\":%llu,",
               (unsigned long long)package_matrix_bytes(&b->rt->package));
        print_times(reads[i]);
        printf(",\"GBps\":%.1f}\n", (double)package_matrix_bytes(&b->rt->package) / (1e6 * reads[i]->median));
    }
    for (int i = 0; i < b->contexts; ++i) {
        const Row *row = &b->rows[i];
        printf("{\"engine\":\"llmc\",\"kind\":\"gen%d\",\"ctx\":%d,", b->tokens, row->context);
        print_times(&row->times);
        printf(",\"mean_ctx\":%.1f,\"floor_ms\":%.5f,\"floor_share\":%.4f", row->mean_context, row_floor(b, row),
               row_floor(b, row) / row->times.median);
        printf(",\"samples_ms\":[");
        for (int j = 0; j < row->times.n; ++j)
            printf("%s%.5f", j ? "," : "", row->samples[j]);
        printf("]");
        print_note(b);
        printf("}\n");
    }
    if (b->prompt_tokens) {
        printf("{\"engine\":\"llmc\",\"kind\":\"prefill\",\"ctx\":%d,", b->prompt_tokens);
        print_times(&b->prompt);
        print_note(b);
        printf("}\n");
    }
}

static void print_csv(const Bench *b)
{
    printf("engine,kind,ctx,ms_median,ms_p10,ms_p90,n,floor_ms,floor_share\n");
    for (int i = 0; i < b->contexts; ++i) {
        const Row *row = &b->rows[i];
        const BenchTimes *t = &row->times;
        printf("llmc,gen%d,%d,%.5f,%.5f,%.5f,%d,%.5f,%.4f\n", b->tokens, row->context, t->median, t->p10, t->p90, t->n,
               row_floor(b, row), row_floor(b, row) / t->median);
    }
    if (b->prompt_tokens)
        printf("llmc,prefill,%d,%.5f,%.5f,%.5f,%d,,\n", b->prompt_tokens, b->prompt.median, b->prompt.p10,
               b->prompt.p90, b->prompt.n);
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
    if (choose(&b) != RT_OK) {
        code = cli_complain(cli, &rt->error);
        rt_close(rt);
        return code;
    }
    double *ms = malloc((size_t)b.repeats * ((size_t)b.contexts + 2) * sizeof *ms);
    if (!ms) {
        rt_fail(&rt->error, ERR_MEMORY, "no memory for %d times", b.repeats);
        code = cli_complain(cli, &rt->error);
    } else if (measure(&b, ms) != RT_OK) {
        code = cli_complain(cli, &rt->error);
    } else if (cli->table == TABLE_JSONL) {
        print_jsonl(&b);
    } else if (cli->table == TABLE_CSV) {
        print_csv(&b);
    } else {
        print_md(&b);
    }
    free(ms);
    rt_close(rt);
    return code;
}
