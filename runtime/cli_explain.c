// cli_explain.c: --explain: predicted and measured time of each kind of wave, and where the time over the floor goes.
#include "cli_json.h"
#include "cli_stats.h"
#include "cli_trace.h"
#include "explain.h"
#include "interrupt.h"
#include "trace.h"
#include "verify.h"

enum { VERIFIED_POSITIONS = 2, WORST = 3 };

static const struct {
    const char *key, *name;
} parts[EXPLAIN_PARTS] = {
    [EXPLAIN_FLOOR] = { "floor", "floor" },
    [EXPLAIN_STREAMING] = { "streaming", "streaming below the rate" },
    [EXPLAIN_LATENCY] = { "latency", "exposed latency" },
    [EXPLAIN_ATTENTION] = { "attention", "attention" },
    [EXPLAIN_SMALL] = { "small", "small operations" },
    [EXPLAIN_LAUNCH] = { "launch", "launch and host" },
};

static double over_floor(const ExplainWave *w)
{
    return w->measured - w->part[EXPLAIN_FLOOR];
}

// The waves with most time over their floors, the worst first; those that have none are left out. Returns how many.
static int find_worst(const Explained *e, int worst[WORST])
{
    int n = 0;
    for (int found = -1; n < WORST; worst[n++] = found, found = -1) {
        for (int i = 0; i < (int)e->schedule->waves; ++i) {
            bool taken = over_floor(&e->waves[i]) <= 0;
            for (int k = 0; k < n; ++k)
                taken |= worst[k] == i;
            if (!taken && (found < 0 || over_floor(&e->waves[i]) > over_floor(&e->waves[found])))
                found = i;
        }
        if (found < 0)
            break;
    }
    return n;
}

static void print_worst(const Explained *e)
{
    int worst[WORST];
    const int n = find_worst(e, worst);
    printf("\nworst:\n");
    for (int i = 0; i < n; ++i) {
        const ExplainWave *w = &e->waves[worst[i]];
        printf("  %d. %s: %.1f us over its floor:", i + 1, w->what, over_floor(w));
        for (int k = EXPLAIN_STREAMING, first = 1; k < EXPLAIN_LAUNCH; ++k)
            if (w->part[k] != 0) {
                printf("%s %.1f %s", first ? "" : ",", w->part[k], parts[k].name);
                first = 0;
            }
        printf("\n");
    }
}

static void print_text(const Rt *rt, const Explained *e)
{
    double sum = 0;
    printf("\n%s: %u tokens a launch, mean context %.1f, the median of %d launches; floor at %.1f GB/s, read before and after",
           e->schedule->name, e->tokens, e->mean_context, e->launches, e->gbs);
    if (rt->package.plan->device == PKG_CPU)
        printf(" (" NO_FLOOR ")");
    printf("; steps of %llu ns\n\n", (unsigned long long)e->tick_ns);
    printf("wave      times  MB/token   floor us  predicted us  measured us  waiting us  ahead us  over floor us\n");
    for (uint32_t i = 0; i < e->schedule->waves; ++i) {
        const ExplainWave *w = &e->waves[i];
        printf("%-8s %6u %9.3f %10.2f %13.2f %12.2f %11.2f %9.2f %14.2f\n", w->what, w->times, w->bytes * 1e-6,
               w->part[EXPLAIN_FLOOR] - w->ahead, w->predicted, w->measured, w->waiting, w->ahead, over_floor(w));
    }
    printf("%-25s %10.2f %13.2f %12.2f %21s %14.2f\n\n", "token", e->part[EXPLAIN_FLOOR], e->predicted, e->measured, "",
           e->measured - e->part[EXPLAIN_FLOOR]);
    printf("%-25s %10s %13s %12s %11s\n", "part", "", "predicted us", "measured us", "share");
    for (int k = 0; k < EXPLAIN_PARTS; ++k) {
        char expected[32] = "-";
        if (k != EXPLAIN_LAUNCH)
            snprintf(expected, sizeof expected, "%.2f", e->expected[k]);
        printf("%-25s %10s %13s %12.2f %10.1f%%\n", parts[k].name, "", expected, e->part[k], 100 * e->part[k] / e->measured);
        sum += e->part[k];
    }
    printf("%-25s %10s %13.2f %12.2f\n\ncontext %d on %s: measured %.2f us a token\n", "sum", "", e->predicted, sum, e->context,
           rt->info.name, e->measured);
    print_worst(e);
}

static void print_key(const char *key, double value)
{
    printf("\"%s\":", key);
    json_number(stdout, value);
    putchar(',');
}

static void print_parts(const char *key, const double *part, int n)
{
    printf("\"%s\":{", key);
    for (int k = 0; k < n; ++k) {
        printf("%s\"%s\":", k ? "," : "", parts[k].key);
        json_number(stdout, part[k]);
    }
    putchar('}');
}

static void print_json_wave(const ExplainWave *w)
{
    printf("{\"name\":\"%s\",\"times\":%u,", w->what, w->times);
    print_key("bytes", w->bytes);
    print_key("predicted_us", w->predicted);
    print_key("measured_us", w->measured);
    print_key("waiting_us", w->waiting);
    print_key("ahead_us", w->ahead);
    print_parts("parts_us", w->part, EXPLAIN_LAUNCH);
    putchar('}');
}

static void print_json(const Explained *e)
{
    int worst[WORST];
    const int n = find_worst(e, worst);
    printf("{\"schedule\":\"%s\",\"context\":%d,\"tokens\":%u,\"launches\":%d,\"clock_step_ns\":%llu,", e->schedule->name, e->context,
           e->tokens, e->launches, (unsigned long long)e->tick_ns);
    print_key("mean_context", e->mean_context);
    print_key("gbs", e->gbs);
    print_key("predicted_us", e->predicted);
    print_key("measured_us", e->measured);
    print_parts("predicted_parts_us", e->expected, EXPLAIN_LAUNCH);
    putchar(',');
    print_parts("parts_us", e->part, EXPLAIN_PARTS);
    printf(",\"waves\":[");
    for (uint32_t i = 0; i < e->schedule->waves; ++i) {
        printf("%s", i ? "," : "");
        print_json_wave(&e->waves[i]);
    }
    printf("],\"worst\":[");
    for (int i = 0; i < n; ++i)
        printf("%s\"%s\"", i ? "," : "", e->waves[worst[i]].what);
    printf("]}");
}

static void take_worst_error(void *context, const VerifyPosition *v)
{
    double *worst = context;
    *worst = v->relative > *worst ? v->relative : *worst;
}

// No speed without a passed check: a few positions at the first context.
static RtStatus check_first(Rt *rt, int context, double *worst)
{
    bool passed;
    const int n = rt->context < VERIFIED_POSITIONS ? 1 : VERIFIED_POSITIONS;
    return verify_run(rt, context, n, take_worst_error, worst, &passed) == RT_OK && passed ? RT_OK : RT_FAILED;
}

static void print_head(const Cli *cli, const Rt *rt, double worst)
{
    const PkgPlan *plan = rt->package.plan;
    if (!cli->json) {
        printf("%s on %s; checked: relative error %.1e (bound %.0e)\n", plan->name, rt->info.name, worst, verify_bound(plan->kv_format));
        return;
    }
    printf("{\"model\":");
    json_text(stdout, plan->name);
    printf(",\"target\":");
    json_text(stdout, plan->target);
    printf(",\"device\":");
    json_text(stdout, rt->info.name);
    printf(",\"relative_error\":");
    json_number(stdout, worst);
    printf(",\"contexts\":[");
}

// The contexts asked for, or the usual ones that fit.
static int choose(const Cli *cli, const Rt *rt, int list[CLI_CONTEXTS])
{
    static const int usual[] = { 1, 1024, 4096 };
    int n = 0;
    for (int i = 0; i < cli->lists; ++i)
        list[n++] = cli->list[i];
    for (int i = 0; i < 3 && !cli->lists; ++i)
        if (usual[i] <= rt->context)
            list[n++] = usual[i];
    return n;
}

// A table is printed as soon as it is known; JSON is printed whole or not at all.
static RtStatus explain_all(const Cli *cli, Rt *rt, const int *list, int n, Explained *all)
{
    const bool cpu = rt->package.plan->device == PKG_CPU;
    double worst = 0;
    if (check_first(rt, list[0], &worst) != RT_OK)
        return RT_FAILED;
    if (!cli->json)
        print_head(cli, rt, worst);
    for (int i = 0; i < n; ++i) {
        if (explain_run(rt, list[i], cli->repeats ? cli->repeats : cpu ? 3 : 20, cpu ? 0 : 0.5, &all[i]) != RT_OK)
            return RT_FAILED;
        if (!cli->json) {
            print_text(rt, &all[i]);
            fflush(stdout);
        }
    }
    if (cli_trace_save(cli, rt) != RT_OK)
        return RT_FAILED;
    if (cli->json) {
        print_head(cli, rt, worst);
        for (int i = 0; i < n; ++i) {
            printf("%s", i ? "," : "");
            print_json(&all[i]);
        }
        printf("]}\n");
    }
    return RT_OK;
}

static RtStatus run(const Cli *cli, Rt *rt)
{
    Explained all[CLI_CONTEXTS] = { { 0 } };
    int list[CLI_CONTEXTS];
    const int n = choose(cli, rt, list);
    if (cli_trace_check(cli, rt, &rt->error) != RT_OK)
        return RT_FAILED;
    const RtStatus status = explain_all(cli, rt, list, n, all);
    for (int i = 0; i < n; ++i)
        explain_free(&all[i]);
    return status;
}

int cli_explain(Cli *cli)
{
    Package package;
    RtError error;
    int code = 0;
    if (!cli_package(cli, &package, &code))
        return code;
    if (trace_wanted(&package, cli->name, "--explain", &error) != RT_OK) {
        package_close(&package);
        return cli_complain(cli, &error);
    }
    cli->ignore_eos = true; // every launch has all its tokens
    Rt *rt = cli_open(cli, &package, &code);
    if (rt) {
        interrupt_release();
        code = run(cli, rt) == RT_OK ? 0 : cli_complain(cli, &rt->error);
    }
    rt_close(rt);
    package_close(&package);
    return code;
}
