// make_program.c: writes a program of the stand-in model: make_program STUB OUT [word]... Words change it.
#include "tiny_program.h"

#include <stdio.h>
#include <stdlib.h>

static int change(TinyProgram *t, const char *word)
{
    PkgPlan *p = &t->image.plan;
    if (strcmp(word, "no-tokenizer") == 0)
        t->tokenizer = false;
    else if (strcmp(word, "no-plan-json") == 0)
        t->skip = PKG_PLAN_JSON;
    else if (strcmp(word, "new-version") == 0)
        t->version = PKG_VERSION + 1;
    else if (strcmp(word, "other-matrices") == 0)
        p->matrix_fingerprint ^= 1;
    else if (strcmp(word, "measured") == 0)
        p->dram_gbs_measured = 1;
    else if (strcmp(word, "slow") == 0) // 9 tokens in half a second
        t->image.schedules[0].token_us = t->image.schedules[1].token_us = 50000;
    else if (strcmp(word, "license") == 0)
        t->license = "==== LICENSE ====\nDo what you like.\n";
    else if (strncmp(word, "bundle=", 7) == 0)
        t->bundled = strtoull(word + 7, NULL, 10);
    else if (strcmp(word, "bad-weights") == 0)
        t->wrong_weights = true;
    else if (strcmp(word, "far") == 0) // everything lies behind 5 GiB
        t->hole = (uint64_t)5 << 30;
    else if (strcmp(word, "kv-f32") == 0)
        p->kv_format = PKG_F32, p->kv_row_bytes = 64; // the cache below is twice as long as it has to be
    else
        return 1;
    return 0;
}

int main(int argc, char **argv)
{
    TinyProgram t;
    tiny_defaults(&t);
    t.image.plan.kv_bytes *= 2;
    t.image.plan.state_bytes = t.image.plan.kv_at + t.image.plan.kv_bytes;
    for (int i = 3; i < argc; ++i) {
        if (strncmp(argv[i], "weights=", 8) == 0) {
            char path[512];
            snprintf(path, sizeof path, "%s.llmw", argv[2]);
            if (tiny_write_weights(&t, strtoull(argv[i] + 8, NULL, 10), path))
                return 1;
        } else if (change(&t, argv[i])) {
            fprintf(stderr, "make_program: %s?\n", argv[i]);
            return 2;
        }
    }
    return argc < 3 || tiny_write(&t, argv[1], argv[2]);
}
