// tiny_program.h: a program of the stand-in model, written by other hands than the compiler's.
#pragma once
#include "fake_model.h"

#include <stdbool.h>
#include <stddef.h>

enum { TINY_CONTEXT = 256, TINY_VOCAB = 96, TINY_EOS = 5, TINY_SPECIAL = 83, TINY_SECTIONS = 20 };

// The sections of a package; a test may change them before they are written.
typedef struct TinyProgram {
    FakeImage image; // plan, matrices, norms, schedules, ints: copied into their sections when written
    PkgWave waves[6];
    PkgTask tasks[8];
    double rope[FAKE_PAIRS];
    bool tokenizer;                // with a table of one token a printable byte
    const char *no_tokenizer;      // why there is none
    const char *license;           // NULL: none
    uint64_t bundled;              // seed of weights in the program; 0: none are
    bool wrong_weights;            // they are of another matrix table
    uint64_t hole;                 // bytes of nothing between code and package
    uint32_t version, skip, twice; // of the header; kinds to leave out or to write twice (0: none)
} TinyProgram;

void tiny_defaults(TinyProgram *t);

// The package: sections, table, footer; offsets count from `stub_bytes`, which come before. malloc'ed.
unsigned char *tiny_package(const TinyProgram *t, size_t stub_bytes, size_t *bytes);

// stub + package as an executable; `stub` NULL: no stub. 0: written.
int tiny_write(const TinyProgram *t, const char *stub, const char *path);

// A weights file with the values of `seed`, packed row by row; malloc'ed.
unsigned char *tiny_weights(const TinyProgram *t, uint64_t seed, size_t *bytes);

// The same as NAME.llmw.
int tiny_write_weights(const TinyProgram *t, uint64_t seed, const char *path);
