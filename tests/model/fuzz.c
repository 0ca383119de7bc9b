// fuzz.c: fuzz FILE CONFIG ROUNDS SEED: reading a changed FILE may refuse, but never crash.
//
// CONFIG "-": the file is a model; else it is the weights of that config.
// Each round runs in a process of its own, which loads the model, its weights and every row. It may end with 0 (read)
// or 3 (refused); a crash, a sanitizer, a hang or another code fails the test.
#include "../test.h"

#include "../../compiler/base/file.h"
#include "../../runtime/hash.h"
#include "llama_wants.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEAD_BYTES = 3000, SECONDS = 20 };

typedef struct Random {
    uint64_t state;
} Random;

static uint64_t next(Random *r, uint64_t below)
{
    r->state = hash_mix(r->state + 0x9e3779b97f4a7c15ull);
    return r->state % below;
}

// Nearly all of what is parsed lies in the first HEAD_BYTES, so most changes go there.
static size_t mutate(Random *r, uint8_t *bytes, size_t n)
{
    static const uint8_t likely[] = { 0, 1, 0x7f, 0x80, 0xff, 8, 9, 12, '"', '{', '[', '9', '-', ',' };
    if (next(r, 4) == 0)
        n = next(r, n + 1);
    const int changes = (int)next(r, 6);
    for (int i = 0; i < changes && n; ++i) {
        const size_t room = n < HEAD_BYTES || next(r, 10) == 0 ? n : HEAD_BYTES;
        const size_t at = next(r, room);
        switch (next(r, 4)) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << next(r, 8));
            break;
        case 1:
            bytes[at] = likely[next(r, sizeof likely)];
            break;
        case 2:
            for (size_t k = at; k < at + 8 && k < n; ++k)
                bytes[k] = 0xff;
            break;
        default:
            for (size_t k = at; k < at + 16 && k < n; ++k)
                bytes[k] = bytes[next(r, room)];
        }
    }
    return n;
}

// In a child: reads everything and does not come back.
static _Noreturn void read_all(const char *model, const char *weights)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    alarm(SECONDS);
    Arena *a = arena_new();
    const Model *m = model_load(a, model);
    const Weights *w = weights_open(a, m, weights);
    if (!w)
        _exit(0);
    const Wants wants = llama_wants(a, m);
    Diags d = { .arena = a };
    weights_check(a, w, wants.at, wants.n, &d);
    diag_exit_if_any(&d);
    for (int i = 0; i < wants.n; ++i) {
        const WeightTensor *t = weights_find(w, wants.at[i].name);
        float *row = arena_alloc(a, (size_t)t->cols * sizeof *row);
        for (int k = 0; k < t->rows; ++k)
            weights_row(w, t, k, row);
    }
    arena_free(a);
    _exit(0);
}

static void write_file(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    ASSERT(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    Arena *a = arena_new();
    const Bytes whole = file_read(a, argv[1]);
    const char *changed = str_format(a, "%s.changed%s", argv[1], strrchr(argv[1], '.'));
    const char *config = str_equal(argv[2], "-") ? NULL : argv[2];
    uint8_t *bytes = arena_alloc(a, whole.bytes);
    Random r = { strtoull(argv[4], NULL, 10) };
    int refused = 0, read = 0;
    fflush(stdout);
    for (int round = 0; round < atoi(argv[3]); ++round) {
        memcpy(bytes, whole.at, whole.bytes);
        write_file(changed, bytes, mutate(&r, bytes, whole.bytes));
        const pid_t child = fork();
        if (child == 0)
            read_all(config ? config : changed, config ? changed : NULL);
        int status = 0;
        waitpid(child, &status, 0);
        read += WIFEXITED(status) && WEXITSTATUS(status) == 0;
        refused += WIFEXITED(status) && WEXITSTATUS(status) == 3;
        if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3))
            continue;
        printf("round %d of seed %s: status 0x%x\n", round, argv[4], status);
        test_failed = 1;
        break;
    }
    printf("%d refused, %d read\n", refused, read);
    ASSERT(refused > 0 && read > 0);
    arena_free(a);
    return test_failed;
}
