// follow.c: whether a program that is forced along the reference's ids would have chosen each of them itself.
// usage: follow GOLDEN.txt N LEAST_GAP VOCAB LOGITS
//
// GOLDEN.txt is one that smollm.py wrote. The last N rows of LOGITS are those that choose its first N ids; where the
// reference's gap is over LEAST_GAP, the largest logit must be that id. Each position is judged alone: one other choice
// says nothing about those behind it, since the program went on with the reference's id.
#include "rows.h"

enum { LINE_BYTES = 1 << 16 };

// The line that starts with the name, behind the name.
static const char *find_line(FILE *f, const char *name, char line[LINE_BYTES])
{
    const size_t n = strlen(name);
    rewind(f);
    while (fgets(line, LINE_BYTES, f))
        if (strncmp(line, name, n) == 0 && line[n] == ' ')
            return line + n + 1;
    printf("no line \"%s\" in the golden file\n", name);
    exit(1);
}

// n numbers, a comma between two.
static void read_numbers(FILE *f, const char *name, double *out, int n)
{
    char line[LINE_BYTES], *end;
    const char *at = find_line(f, name, line);
    for (int i = 0; i < n; ++i, at = end + (*end == ',')) {
        out[i] = strtod(at, &end);
        if (end == at) {
            printf("line \"%s\" of the golden file has %d numbers, %d are wanted\n", name, i, n);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    enum { MOST = 64 };
    double ids[MOST], gaps[MOST];
    FILE *golden = argc == 6 ? fopen(argv[1], "r") : NULL;
    const int n = golden ? atoi(argv[2]) : 0;
    if (n < 1 || n > MOST) {
        printf("usage: follow GOLDEN.txt N LEAST_GAP VOCAB LOGITS\n");
        return 2;
    }
    read_numbers(golden, "ids", ids, n);
    read_numbers(golden, "gaps", gaps, n);
    fclose(golden);
    const double least_gap = atof(argv[3]);
    const int vocab = atoi(argv[4]);
    const Rows program = rows_read(argv[5], vocab);
    int judged = 0, others = 0;
    if (program.n < n) {
        printf("%s has %d positions, %d ids follow\n", argv[5], program.n, n);
        return 1;
    }
    for (int i = 0; i < n; ++i) {
        double gap;
        const int own = row_best(rows_last(&program, n, i), vocab, &gap);
        judged += gaps[i] > least_gap;
        others += own != (int)ids[i];
        if (own == (int)ids[i] || gaps[i] <= least_gap)
            continue;
        printf("id %d is %d, the reference chooses %d with a gap of %.4f\n", i, own, (int)ids[i], gaps[i]);
        test_failed = 1;
    }
    printf("%d of %d ids judged (gap over %g), %d others in all\n", judged, n, least_gap, others);
    free(program.at);
    return test_failed;
}
