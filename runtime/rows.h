// rows.h: rows of matrices and norm vectors for the reference: out of the packed streams, or made from a seed.
#pragma once
#include "package_open.h"
#include "reference/reference.h"

typedef struct Rows {
    const Package *package;
    const unsigned char *streams; // as in NAME.llmw; NULL: values of `seed`
    uint64_t seed;
} Rows;

// The RefWeights that reads `rows`, which must outlive it.
RefWeights rows_weights(Rows *rows);
