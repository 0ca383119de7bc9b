// classes.h: which code points are letters, numbers and white space, as the program's tables have them.
#pragma once
#include "../base/arena.h"
#include "../../runtime/package.h"

// Runs of code points of one class from 0 to U+10FFFF: first << 2 | CLASS_*, ascending.
const uint32_t *classes_runs(Arena *a, enum PkgPre pre, int *n);
