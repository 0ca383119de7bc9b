// judge.c: compares a program's logits with the reference's, by the bounds that `--verify` has too.
// usage: judge f32|f16|bf16 VOCAB REFERENCE PROGRAM
//
// The last positions of PROGRAM are those of REFERENCE. At each the relative L2 error must stay in its bound, and the
// largest logit must be the same one: always with float32 K/V, with rounded K/V where the reference's two largest are
// further apart than 0.05.
#include "rows.h"

static const double least_gap = 0.05;

// Infinite where a value is not finite.
static double relative_error(const float *reference, const float *program, int vocab)
{
    double difference = 0, whole = 0;
    for (int i = 0; i < vocab; ++i) {
        const double d = (double)program[i] - reference[i];
        difference += d * d;
        whole += (double)reference[i] * reference[i];
    }
    const double error = sqrt(difference / whole);
    return isfinite(error) ? error : INFINITY;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        printf("usage: judge f32|f16|bf16 VOCAB REFERENCE PROGRAM\n");
        return 2;
    }
    const bool exact = strcmp(argv[1], "f32") == 0;
    const double bound = exact ? 1e-4 : strcmp(argv[1], "f16") == 0 ? 1e-3 : 4e-3;
    const int vocab = atoi(argv[2]);
    const Rows reference = rows_read(argv[3], vocab), program = rows_read(argv[4], vocab);
    const int n = reference.n;
    if (program.n < n) {
        printf("%s has %d positions, the reference has %d\n", argv[4], program.n, n);
        return 1;
    }
    double worst = 0, sum = 0;
    int worst_at = 0, others = 0;
    for (int i = 0; i < n; ++i) {
        const float *want = rows_last(&reference, n, i), *got = rows_last(&program, n, i);
        double gap, own_gap;
        const double error = relative_error(want, got, vocab);
        const int best = row_best(want, vocab, &gap), own = row_best(got, vocab, &own_gap);
        worst_at = error > worst ? i : worst_at;
        worst = error > worst ? error : worst;
        sum += error;
        others += own != best;
        if (error <= bound && (own == best || (!exact && gap <= least_gap)))
            continue;
        printf("position %d of %d: relative error %.2e, id %d, reference %d (gap %.3f)\n", i, n, error, own, best, gap);
        test_failed = 1;
    }
    printf("%s K/V: %d positions, relative error worst %.2e at %d, mean %.2e, bound %.0e; other ids: %d\n", argv[1], n,
           worst, worst_at, sum / n, bound, others);
    free(reference.at);
    free(program.at);
    return test_failed;
}
