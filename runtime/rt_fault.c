// rt_fault.c: a kernel's fault word in words: what, which wave of which layer, which worker, at which position.
#include "rt_state.h"

#include <stdio.h>

typedef struct FaultPlace {
    char text[160];
} FaultPlace;

static FaultPlace place_name(const Package *p, const PkgSchedule *s, uint32_t wave, uint32_t worker, uint32_t position)
{
    FaultPlace place;
    const WavePlace w = package_wave(p, s, wave);
    const char *what = w.rolled < s->waves ? p->waves[s->first_wave + w.rolled].what : "?";
    int n = w.layer >= 0 ? snprintf(place.text, sizeof place.text, "layer %d, ", w.layer) : 0;
    snprintf(place.text + n, sizeof place.text - (size_t)n, "wave \"%s\" (%u of %u), worker %u, position %u", what,
             wave, s->token_waves, worker, position);
    return place;
}

RtStatus fault_report(Rt *rt, uint64_t fault, const PkgSchedule *schedule, uint32_t position)
{
    const uint32_t cause = fault & 0xffff, worker = fault >> 16 & 0xffff, wave = fault >> 32 & 0xffff;
    const FaultPlace place = place_name(&rt->package, schedule, wave, worker, position + (uint32_t)(fault >> 48));
    switch (cause) {
    case FAULT_NOT_FINITE:
        rt_fail(&rt->error, ERR_NOT_FINITE, "a value is NaN or infinite: %s", place.text);
        rt_advise(&rt->error, "check the weights: %.600s --self-check", rt->name);
        return RT_FAILED;
    case FAULT_KV_RANGE:
        rt_fail(&rt->error, ERR_KV_RANGE, "a K or V value is over 65504, the most that F16 holds: %s", place.text);
        rt_advise(&rt->error, "recompile with --kv-type bf16");
        return RT_FAILED;
    case FAULT_WATCHDOG:
        rt_fail(&rt->error, ERR_WATCHDOG, "a worker waited too long: %s", place.text);
        rt_advise(&rt->error, "is another program using the GPU? If not, please report this");
        return RT_FAILED;
    default:
        return rt_fail(&rt->error, ERR_INTERNAL, "the kernel reports fault %u: %s", cause, place.text);
    }
}
