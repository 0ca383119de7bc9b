// rt_selectable.c: which ids may be chosen: a bit for each row of the head's matrix, set once and read by the kernels.
#include "rt_state.h"
#include "tokenizer.h"

#include <stdlib.h>

bool rt_selectable(const Rt *rt, uint32_t id)
{
    return rt->selectable[id / 8] >> id % 8 & 1;
}

// Those that the tokenizer knows, and those that end a text. Without a tokenizer all of the model's vocabulary.
RtStatus selectable_open(Rt *rt)
{
    const PkgPlan *plan = rt->package.plan;
    const PackageBytes tables = rt->package.tokenizer;
    const size_t bytes = ((size_t)plan->vocab + 7) / 8;
    TokenizerView view;
    uint32_t known = 0;
    if (tables.at && !tokenizer_open(&view, tables.at, tables.bytes))
        return rt_fail(&rt->error, ERR_PACKAGE, "the program's tokenizer tables are damaged");
    rt->selectable = calloc(1, bytes);
    if (!rt->selectable)
        return rt_fail(&rt->error, ERR_MEMORY, "no memory for %zu bytes", bytes);
    for (uint32_t id = 0; id < plan->vocab; ++id)
        if (!tables.at || tokenizer_type(&view, id) != TOKEN_UNUSED) {
            rt->selectable[id / 8] |= (uint8_t)(1u << id % 8);
            ++known;
        }
    for (uint32_t i = 0; i < plan->eos_count; ++i)
        rt->selectable[plan->eos[i] / 8] |= (uint8_t)(1u << plan->eos[i] % 8);
    if (!known)
        return rt_fail(&rt->error, ERR_PACKAGE, "the program's tokenizer has no token for any of the model's %u ids", plan->vocab);
    return rt->api->upload(rt->device, rt->state + plan->selectable_at, rt->selectable, bytes, &rt->error);
}
