// cli_check.c: --self-check: everything that can be checked without the checkpoint, one line each. --list-devices.
#include "cli.h"
#include "cli_json.h"
#include "interrupt.h"
#include "verify.h"

#include <string.h>

enum { REPEATED_TOKENS = 4, VERIFIED_POSITIONS = 2 };

static void passed(const Cli *cli, const char *what, const char *detail)
{
    if (!cli->json)
        printf("ok    %-12s %s\n", what, detail);
}

static bool take_id(void *context, uint32_t id)
{
    uint32_t **to = context;
    *(*to)++ = id;
    return true;
}

// The same ids twice from the same start.
static RtStatus check_repeat(Rt *rt, char *detail, size_t bytes)
{
    uint32_t ids[2][REPEATED_TOKENS];
    const uint32_t start = verify_id(rt, 0);
    const int n = rt->context < REPEATED_TOKENS ? rt->context : REPEATED_TOKENS;
    for (int run = 0; run < 2; ++run) {
        uint32_t *to = ids[run];
        RtEnd end;
        rt_reset(rt);
        if (rt_prefill(rt, &start, 1) != RT_OK || rt_decode(rt, n, take_id, &to, &end) != RT_OK)
            return RT_FAILED;
    }
    if (memcmp(ids[0], ids[1], (size_t)n * sizeof **ids) != 0)
        return rt_fail(&rt->error, ERR_VERIFY, "%d tokens, run twice, are not the same", n);
    snprintf(detail, bytes, "%d tokens twice, the same", n);
    return RT_OK;
}

static void take_worst(void *context, const VerifyPosition *v)
{
    double *worst = context;
    *worst = v->relative > *worst ? v->relative : *worst;
}

static RtStatus check_reference(Rt *rt, char *detail, size_t bytes)
{
    double worst = 0;
    bool equal = true;
    const int n = rt->context < VERIFIED_POSITIONS ? rt->context : VERIFIED_POSITIONS;
    if (verify_run(rt, 1, n, take_worst, &worst, &equal) != RT_OK)
        return RT_FAILED;
    snprintf(detail, bytes, "%d positions, relative error %.1e (bound %.0e)", n, worst,
             verify_bound(rt->package.plan->kv_format));
    return equal ? RT_OK : RT_FAILED;
}

static int check_all(Cli *cli, Rt *rt)
{
    const PkgPlan *plan = rt->package.plan;
    char detail[256];
    snprintf(detail, sizeof detail, "%s for %s, plan %016llx: digests and tables", plan->name, plan->target,
             (unsigned long long)plan->plan_fingerprint);
    passed(cli, "package", detail);
    snprintf(detail, sizeof detail, "%d: %s; every schedule is resident", rt->info.index, device_text(&rt->info).text);
    passed(cli, "device", detail);
    if (rt->random)
        snprintf(detail, sizeof detail, "made from seed %llu", (unsigned long long)rt->seed);
    else
        snprintf(detail, sizeof detail, "%s bytes, %u sums, fingerprint %016llx",
                 count_text(rt->weights.header->bytes).text, rt->weights.header->blocks,
                 (unsigned long long)plan->matrix_fingerprint);
    passed(cli, "weights", detail);
    if (check_repeat(rt, detail, sizeof detail) != RT_OK)
        return cli_complain(cli, &rt->error);
    passed(cli, "repeat", detail);
    fflush(stdout);
    if (check_reference(rt, detail, sizeof detail) != RT_OK)
        return cli_complain(cli, &rt->error);
    passed(cli, "reference", detail);
    if (cli->json)
        printf("{\"passed\":true}\n");
    return 0;
}

int cli_self_check(Cli *cli)
{
    int code = 0;
    cli->ignore_eos = true;
    Rt *rt = cli_open(cli, NULL, &code);
    if (!rt)
        return code;
    interrupt_release();
    code = check_all(cli, rt);
    rt_close(rt);
    return code;
}

static void print_device(const Cli *cli, const DeviceInfo *info)
{
    if (!cli->json) {
        printf("%d: %s, %s bytes", info->index, device_text(info).text, count_text((uint64_t)info->total_bytes).text);
        if (info->uuid[0])
            printf(", %s, PCI %s", info->uuid, info->pci);
        putchar('\n');
        return;
    }
    printf("%s{\"index\":%d,\"name\":", info->index ? "," : "", info->index);
    json_text(stdout, info->name);
    printf(",\"sm\":%d,\"sms\":%d,\"bytes\":%lld,\"uuid\":", info->sm, info->sms, (long long)info->total_bytes);
    json_text(stdout, info->uuid);
    printf(",\"pci\":");
    json_text(stdout, info->pci);
    printf("}");
}

int cli_list_devices(Cli *cli)
{
    enum { MOST_DEVICES = 64 };
    Package package;
    DeviceInfo infos[MOST_DEVICES];
    RtError error;
    int count = 0, code = 0;
    if (!cli_package(cli, &package, &code))
        return code;
    const DeviceApi *api = package.plan->device == PKG_CPU ? &device_simt : &device_cuda;
    package_close(&package);
    if (api->count(&count, &error) != RT_OK)
        return cli_complain(cli, &error);
    count = count < MOST_DEVICES ? count : MOST_DEVICES;
    for (int i = 0; i < count; ++i)
        if (device_look_at(api, i, &infos[i], &error) != RT_OK)
            return cli_complain(cli, &error);
    if (cli->json)
        printf("{\"devices\":[");
    for (int i = 0; i < count; ++i)
        print_device(cli, &infos[i]);
    if (cli->json)
        printf("]}\n");
    return 0;
}
