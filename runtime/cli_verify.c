// cli_verify.c: --verify: positions through program and reference, one line each.
#include "cli_json.h"
#include "cli.h"
#include "interrupt.h"
#include "verify.h"

#include <stdlib.h>

enum { VERIFY_POSITIONS = 4 };

typedef struct VerifyTable {
    const Cli *cli;
    FILE *out; // memory with --json: an object is printed whole or not at all
    int context, rows;
    double worst;
    int worst_position;
    bool all_equal;
} VerifyTable;

static void print_row(FILE *out, const VerifyPosition *v)
{
    fprintf(out, "%8d  %-9.2e  %-9.2e  %-7s %-7s %u%s%u%s%s\n", v->position, v->relative, v->most,
            v->equal_bits ? "equal" : "differ", v->passed ? "ok" : "FAILED", v->best_program,
            v->equal_best ? " = " : " / ", v->best_reference, v->passed ? "" : "  ", v->why);
}

static void print_json_row(const VerifyTable *table, const VerifyPosition *v)
{
    fprintf(table->out, "%s{\"context\":%d,\"position\":%d,\"relative_l2\":", table->rows ? "," : "", table->context,
            v->position);
    json_number(table->out, v->relative);
    fprintf(table->out, ",\"max\":");
    json_number(table->out, v->most);
    fprintf(table->out,
            ",\"equal_bits\":%s,\"id\":%u,\"reference_id\":%u,\"passed\":%s,\"why\":", v->equal_bits ? "true" : "false",
            v->best_program, v->best_reference, v->passed ? "true" : "false");
    json_text(table->out, v->why);
    fputc('}', table->out);
}

static void take_row(void *context, const VerifyPosition *v)
{
    VerifyTable *table = context;
    if (table->cli->json)
        print_json_row(table, v);
    else
        print_row(table->out, v);
    if (v->relative > table->worst) {
        table->worst = v->relative;
        table->worst_position = v->position;
    }
    table->all_equal &= v->equal_bits;
    ++table->rows;
}

static const char *kv_name(uint32_t format)
{
    static const char *const names[] = { [PKG_F16] = "F16", [PKG_BF16] = "BF16", [PKG_F32] = "F32" };
    return names[format];
}

static void print_head(const Rt *rt, int context)
{
    const PkgPlan *plan = rt->package.plan;
    char source[128];
    if (rt->random)
        snprintf(source, sizeof source, "the hash of seed %llu", (unsigned long long)rt->seed);
    else
        snprintf(source, sizeof source, "%.100s, unpacked", rt->weights_path);
    printf("%s on %s, context %d; K/V %s; weights of both: %s; bound %.0e\n", plan->name, rt->info.name, context,
           kv_name(plan->kv_format), source, verify_bound(plan->kv_format));
    printf("position  rel. L2    max        bits    result  id\n");
}

static RtStatus verify_all(VerifyTable *table, Rt *rt, bool *passed)
{
    const Cli *cli = table->cli;
    const int usual = rt->context < VERIFY_POSITIONS ? rt->context : VERIFY_POSITIONS;
    const int n = cli->verify > 0 ? cli->verify : usual, contexts = cli->lists ? cli->lists : 1;
    for (int i = 0; i < contexts && *passed; ++i) {
        table->context = cli->lists ? cli->list[i] : 1;
        if (verify_fits(rt, table->context, n) != RT_OK)
            return RT_FAILED;
        if (!cli->json)
            print_head(rt, table->context); // before the reference runs: it takes its time
        if (verify_run(rt, table->context, n, take_row, table, passed) != RT_OK)
            return RT_FAILED;
        fflush(table->out);
    }
    return RT_OK;
}

static int verify_print(Cli *cli, Rt *rt)
{
    char *rows = NULL;
    size_t bytes = 0;
    VerifyTable table = {
        .cli = cli, .all_equal = true, .worst = -1, .out = cli->json ? open_memstream(&rows, &bytes) : stdout
    };
    bool passed = true;
    if (!table.out)
        return rt_exit_code(ERR_MEMORY);
    const RtStatus status = verify_all(&table, rt, &passed);
    if (cli->json) {
        fclose(table.out);
        if (status == RT_OK)
            printf("{\"positions\":[%s],\"bound\":%g,\"passed\":%s}\n", rows, verify_bound(rt->package.plan->kv_format),
                   passed ? "true" : "false");
        free(rows);
    } else if (status == RT_OK) {
        printf("%s: %d positions, worst relative error %.2e at position %d%s\n", passed ? "passed" : "FAILED",
               table.rows, table.worst, table.worst_position, table.all_equal ? ", all bits equal" : "");
    }
    if (status != RT_OK)
        return cli_complain(cli, &rt->error);
    return passed ? 0 : cli_tell(cli, &rt->error);
}

int cli_verify(Cli *cli)
{
    int code = 0;
    Rt *rt = cli_open(cli, NULL, &code);
    if (!rt)
        return code;
    interrupt_release(); // the reference may take minutes
    code = verify_print(cli, rt);
    rt_close(rt);
    return code;
}
