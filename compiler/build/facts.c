// facts.c: what ptxas -v says of each kernel: registers, shared memory, stack, spills.
#include "build.h"

#include <stdio.h>
#include <stdlib.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// The number in front of `unit` in the line ("64 registers"), or -1 when the line does not have it.
static int count_before(const char *line, const char *unit)
{
    const char *at = strstr(line, unit);
    if (!at)
        return -1;
    while (at > line && at[-1] == ' ')
        --at;
    const char *end = at;
    while (at > line && at[-1] >= '0' && at[-1] <= '9')
        --at;
    return at < end ? (int)strtol(at, NULL, 10) : -1;
}

// "ptxas info    : Compiling entry function 'NAME' for 'sm_86'"
static const char *entry_name(Arena *a, const char *line)
{
    static const char before[] = "Compiling entry function '";
    const char *at = strstr(line, before);
    if (!at)
        return NULL;
    at += sizeof before - 1;
    return str_copy(a, at, strcspn(at, "'"));
}

// Adds a line to the facts of the kernel it belongs to. A function that is called and not inlined has its lines behind
// those of its kernel and counts as a part of it.
static void add_line(const char *line, KernelFacts *k)
{
    const int registers = count_before(line, " registers"), smem = count_before(line, " bytes smem");
    const int stack = count_before(line, " bytes stack frame");
    const int cumulative = count_before(line, " bytes cumulative stack size");
    const int stores = count_before(line, " bytes spill stores"), loads = count_before(line, " bytes spill loads");
    if (strstr(line, "Used ")) {
        k->registers = larger(k->registers, registers);
        k->smem_bytes = larger(k->smem_bytes, smem);
    }
    k->stack_bytes = larger(k->stack_bytes, larger(stack, cumulative));
    k->spill_bytes = larger(k->spill_bytes, larger(stores, loads));
}

void build_parse_facts(Arena *a, const char *log, Artifact *art)
{
    VEC(KernelFacts) kernels = { 0 };
    for (const char *at = log; *at;) {
        const size_t bytes = strcspn(at, "\n");
        const char *line = str_copy(a, at, bytes), *name = entry_name(a, line);
        if (name) {
            const KernelFacts fresh = { .name = name };
            vec_push(a, &kernels, fresh);
        } else if (kernels.n) {
            add_line(line, &kernels.at[kernels.n - 1]);
        }
        at += bytes + (at[bytes] == '\n');
    }
    art->kernels = kernels.at;
    art->n_kernels = kernels.n;
}
