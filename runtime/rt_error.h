// rt_error.h: how the runtime says what went wrong: an RtError filled where the knowledge is.
#pragma once
#include "rt.h"

// Fills id and text, clears the advice; returns RT_FAILED, so that `return rt_fail(...)` reads as one step.
RtStatus rt_fail(RtError *error, ErrorId id, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// The line to type or the thing to do.
void rt_advise(RtError *error, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// From the table in errors.h; 1 for a number that is not in it.
int rt_exit_code(ErrorId id);

// 3,141,592,064.
typedef struct CountText {
    char text[28];
} CountText;
CountText count_text(uint64_t n);
