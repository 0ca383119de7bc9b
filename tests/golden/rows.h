// rows.h: float32 logits of a file, [position][vocab], and the largest of a row.
#pragma once
#include "../test.h"

#include <stdbool.h>

typedef struct Rows {
    float *at; // [n][vocab]
    int n, vocab;
} Rows;

// Ends the process where the file is missing or is no whole number of rows.
static inline Rows rows_read(const char *path, int vocab)
{
    FILE *f = fopen(path, "rb");
    if (!f || vocab < 2) {
        printf("%s: cannot be read as rows of %d values\n", path, vocab);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    const size_t bytes = (size_t)ftell(f), row_bytes = (size_t)vocab * sizeof(float);
    const Rows rows = { malloc(bytes + 1), (int)(bytes / row_bytes), vocab };
    rewind(f);
    if (!rows.at || !rows.n || bytes % row_bytes || fread(rows.at, 1, bytes, f) != bytes) {
        printf("%s: %zu bytes are no rows of %d values\n", path, bytes, vocab);
        exit(1);
    }
    fclose(f);
    return rows;
}

// Row i of the last n.
static inline const float *rows_last(const Rows *rows, int n, int i)
{
    return rows->at + (size_t)(rows->n - n + i) * (size_t)rows->vocab;
}

// The largest value's index, the lowest among equals, and its distance to the next.
static inline int row_best(const float *row, int vocab, double *gap)
{
    int best = 0;
    double second = -INFINITY;
    for (int i = 1; i < vocab; ++i)
        if (row[i] > row[best]) {
            second = row[best];
            best = i;
        } else if (row[i] > second) {
            second = row[i];
        }
    *gap = row[best] - second;
    return best;
}
