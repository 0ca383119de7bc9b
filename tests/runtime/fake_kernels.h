// fake_kernels.h: the kernels of the stand-in model, as fake_cuda.c starts them.
#pragma once
#include "fake_model.h"

#include <stdbool.h>

typedef struct FakeGrid {
    FakeImage image;
    unsigned char *weights, *state; // the kernels' arguments
    uint32_t token;                 // of the decode kernel that runs
} FakeGrid;

void fake_fill_weights(FakeGrid *g);

// One token of the decode kernel; false: it has left.
bool fake_decode_token(FakeGrid *g);

// A number in the environment.
int fake_setting(const char *name, int otherwise);
