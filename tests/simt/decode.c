// decode.c: a program's decode inside a process that is race-checked: decode PROGRAM prints the ids it chooses: the
// likeliest, then some drawn of what top-k and top-p leave, which is more than one block ranks, then some drawn of all.
#include "../../runtime/rt_state.h"
#include "../../runtime/sampling.h"

#include <stdio.h>

static bool print_id(void *context, uint32_t id)
{
    (void)context;
    printf("%u\n", id);
    return true;
}

int main(int n, char **words)
{
    static const uint32_t prompt[] = { 1, 2, 3 };
    const RtOptions options = { .program = n > 1 ? words[1] : NULL, .weights = "random:1" };
    Rt *rt;
    RtEnd end;
    Sampling cut = sampling_default(), all;
    cut.temperature = 1;
    cut.top_k = 400;
    cut.top_p = 0.95;
    cut.min_p = 0;
    cut.seed = 1;
    all = cut;
    all.top_k = 0;
    all.top_p = 1;
    if (rt_open(&rt, &options) != RT_OK || rt_prefill(rt, prompt, 3) != RT_OK ||
        rt_decode(rt, 5, print_id, NULL, &end) != RT_OK || rt_choose(rt, &cut) != RT_OK ||
        rt_decode(rt, 5, print_id, NULL, &end) != RT_OK || rt_choose(rt, &all) != RT_OK ||
        rt_decode(rt, 5, print_id, NULL, &end) != RT_OK) {
        fprintf(stderr, "decode: %s\n", rt_error(rt)->text);
        return 1;
    }
    rt_close(rt);
    return 0;
}
