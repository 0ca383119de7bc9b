// rt_device.c: picks the device of a program and checks that it is one the program can run on.
#include "rt_state.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool has_word(const char *text, const char *part)
{
    const size_t bytes = strlen(part);
    for (; *text; ++text)
        if (strncasecmp(text, part, bytes) == 0)
            return true;
    return false;
}

static bool whole_number(const char *text)
{
    const char *p = text;
    while (isdigit((unsigned char)*p))
        ++p;
    return p != text && !*p && p - text < 6;
}

RtStatus device_look_at(const DeviceApi *api, int index, DeviceInfo *info, RtError *error)
{
    Device *d = NULL;
    if (api->open(index, &d, error) != RT_OK)
        return RT_FAILED;
    const RtStatus status = api->info(d, info, error);
    api->close(d);
    return status;
}

static RtStatus pick_index(Rt *rt, int count, int *index)
{
    const char *asked = rt->options.device;
    *index = 0;
    if (!asked)
        return RT_OK;
    if (whole_number(asked)) {
        *index = atoi(asked);
        if (*index < count)
            return RT_OK;
    } else {
        for (int i = count - 1; i >= 0; --i) {
            DeviceInfo info;
            if (device_look_at(rt->api, i, &info, &rt->error) == RT_OK &&
                (strncasecmp(info.uuid, asked, strlen(asked)) == 0 || has_word(info.name, asked))) {
                *index = i;
                ++rt->named_devices;
            }
        }
        if (rt->named_devices)
            return RT_OK;
    }
    rt_fail(&rt->error, ERR_DEVICE_UNKNOWN, "no device \"%.100s\": there %s %d, numbered from 0", asked,
            count == 1 ? "is" : "are", count);
    rt_advise(&rt->error, "%.600s --list-devices shows index, name and UUID of each", rt->name);
    return RT_FAILED;
}

DeviceText device_text(const DeviceInfo *info)
{
    DeviceText t;
    if (info->sm)
        snprintf(t.text, sizeof t.text, "%s (sm_%d, %d SMs)", info->name, info->sm, info->sms);
    else
        snprintf(t.text, sizeof t.text, "%s", info->name);
    return t;
}

static uint32_t most_workers(const Package *p)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->plan->schedules; ++i)
        if (p->schedules[i].workers > most)
            most = p->schedules[i].workers;
    return most;
}

static bool runs_on(const Package *p, const DeviceInfo *info)
{
    return info->sm == (int)p->plan->sm && info->sms >= (int)most_workers(p);
}

// Another device of this machine that would do; -1: none.
static int find_other(Rt *rt, int count)
{
    for (int i = 0; i < count; ++i) {
        RtError ignored;
        DeviceInfo info;
        if (i != rt->info.index && device_look_at(rt->api, i, &info, &ignored) == RT_OK && runs_on(&rt->package, &info))
            return i;
    }
    return -1;
}

static RtStatus check_arch(Rt *rt, int count)
{
    const PkgPlan *plan = rt->package.plan;
    const DeviceInfo *info = &rt->info;
    if (runs_on(&rt->package, info))
        return RT_OK;
    if (info->sm == (int)plan->sm)
        rt_fail(&rt->error, ERR_DEVICE_ARCH, "this program has %u workers, one for each SM; device %d is %s",
                most_workers(&rt->package), info->index, device_text(info).text);
    else
        rt_fail(&rt->error, ERR_DEVICE_ARCH, "this program was built for sm_%u with %u SMs; device %d is %s", plan->sm,
                plan->sms, info->index, device_text(info).text);
    const int other = find_other(rt, count);
    if (other >= 0)
        rt_advise(&rt->error, "run on another device: --device %d", other);
    else if (info->sm == (int)plan->sm)
        rt_advise(&rt->error, "rebuild with: llmc compile %s.json --target sm_%d --sms %d -o %.600s", plan->name,
                  info->sm, info->sms, rt->name);
    else
        rt_advise(&rt->error, "rebuild with: llmc compile %s.json --target sm_%d -o %.600s", plan->name, info->sm,
                  rt->name);
    return RT_FAILED;
}

static RtStatus check_occupancy(Rt *rt)
{
    for (uint32_t i = 0; i < rt->package.plan->schedules; ++i) {
        const PkgSchedule *s = &rt->package.schedules[i];
        int blocks = 0;
        if (rt->api->occupancy(rt->device, PKG_ENTRY, (int)s->threads, (int)s->smem_bytes, &blocks, &rt->error) != RT_OK)
            return RT_FAILED;
        if (blocks >= 1)
            continue;
        rt_fail(
            &rt->error, ERR_DEVICE_OCCUPANCY,
            "a worker of %s (%u threads, %s bytes of shared memory) does not fit on a multiprocessor of device %d, %s",
            s->name, s->threads, count_text(s->smem_bytes).text, rt->info.index, rt->info.name);
        rt_advise(&rt->error, "rebuild with: llmc compile %s.json --target sm_%d --threads %u -o %.600s",
                  rt->package.plan->name, rt->info.sm, s->threads / 2, rt->name);
        return RT_FAILED;
    }
    return RT_OK;
}

RtStatus device_open(Rt *rt)
{
    const Package *p = &rt->package;
    const double start = now_seconds();
    int count = 0, index = 0;
    rt->api = p->plan->device == PKG_CPU ? &device_simt : &device_cuda;
    if (rt->api->count(&count, &rt->error) != RT_OK)
        return RT_FAILED;
    if (count < 1) {
        rt_fail(&rt->error, ERR_NO_DEVICE, "the NVIDIA driver finds no GPU");
        return RT_FAILED;
    }
    if (pick_index(rt, count, &index) != RT_OK || rt->api->open(index, &rt->device, &rt->error) != RT_OK ||
        rt->api->info(rt->device, &rt->info, &rt->error) != RT_OK)
        return RT_FAILED;
    if (p->plan->device == PKG_CUDA && check_arch(rt, count) != RT_OK)
        return RT_FAILED;
    if (rt->api->start(rt->device, &rt->error) != RT_OK)
        return RT_FAILED;
    rt->load.driver = now_seconds() - start;
    if (rt->api->load(rt->device, p->image.at, p->image.bytes, &rt->error) != RT_OK || check_occupancy(rt) != RT_OK)
        return RT_FAILED;
    return rt->api->info(rt->device, &rt->info, &rt->error); // with the memory that is free
}
