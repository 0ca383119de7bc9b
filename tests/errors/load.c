// load.c: load MODEL [WEIGHTS]: reads a model and its weights and prints its facts, or refuses them.
#include "../model/llama_wants.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: load MODEL [WEIGHTS]\n");
        return 2;
    }
    Arena *a = arena_new();
    const Model *m = model_load(a, argv[1]);
    const Weights *w = weights_open(a, m, argc == 3 ? argv[2] : NULL);
    if (w) {
        const Wants wants = llama_wants(a, m);
        Diags d = { .arena = a };
        weights_check(a, w, wants.at, wants.n, &d);
        diag_exit_if_any(&d);
    }
    Str out = str_new(a);
    model_print(m, &out);
    printf("%s", out.text);
    if (w)
        printf("weights       %s bytes\n", str_count(a, weights_bytes(w)));
    arena_free(a);
    return 0;
}
