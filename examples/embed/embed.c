// embed.c: a model as part of a C program. Make the library first, then this:
//
//   llmc compile ~/SmolLM2-135M-Instruct --target sm_86 --emit=lib -o smollm
//   cc -I. embed.c -L. -lsmollm -Wl,-rpath,'$ORIGIN' -DMODEL='"smollm.h"' -o embed      or, in one file:
//   cc -I. embed.c libsmollm.a -lm -ldl -lpthread -DMODEL='"smollm.h"' -o smollm      (whose weights are smollm.llmw beside it)
//   ./embed "The capital of France is" 16
//
// usage: embed TEXT [N [TEMPERATURE [WEIGHTS]]]: continues the text by N tokens (16), drawn at a temperature (0: the likeliest). A
// model without a tokenizer takes ids: embed "1 2 3".
#include MODEL

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const Llmc *l)
{
    fprintf(stderr, "embed: %s\n", llmc_error(l));
    if (llmc_advice(l)[0])
        fprintf(stderr, "embed: %s\n", llmc_advice(l));
    return 1;
}

// Called while the model goes on.
static int print_token(void *context, uint32_t id)
{
    const Llmc *l = context;
    size_t bytes;
    const char *text = llmc_text(l, id, &bytes);
    if (text)
        fwrite(text, 1, bytes, stdout);
    else
        printf("%u ", id);
    return fflush(stdout) == 0;
}

static long read_ids(const char *text, uint32_t *ids, long room)
{
    long n = 0;
    for (char *end; n < room && *text; text = end, ++n) {
        ids[n] = (uint32_t)strtoul(text, &end, 10);
        if (end == text)
            break;
    }
    return n;
}

int main(int argc, char **argv)
{
    static uint32_t ids[4096];
    const long room = sizeof ids / sizeof *ids;
    const char *text = argc > 1 ? argv[1] : "The capital of France is";
    LlmcOptions options = { 0 };
    LlmcSampling sampling = { 0 };
    Llmc *l;
    LlmcEnd end;
    options.weights = argc > 4 ? argv[4] : NULL;
    int failed = llmc_open(&l, &options) && fail(l);
    if (!failed) {
        long n = llmc_encode(l, text, strlen(text), 1, 0, ids, room);
        if (n < 0)
            n = read_ids(text, ids, room);
        if (n > room)
            n = room;
        sampling.temperature = argc > 3 ? atof(argv[3]) : 0;
        sampling.min_p = 0.05;
        failed = (llmc_sample(l, &sampling) || llmc_prefill(l, ids, (int)n) ||
                  llmc_decode(l, argc > 2 ? atoi(argv[2]) : 16, print_token, l, &end)) &&
                 fail(l);
        putchar('\n');
    }
    llmc_close(l);
    return failed;
}
