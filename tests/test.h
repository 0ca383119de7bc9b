// test.h: what every test in C uses. A test is a program: it prints one line a failed check and exits 1 if there was one.
#pragma once
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_failed;

#define ASSERT(condition) test_check((condition) != 0, __FILE__, __LINE__, #condition)
#define ASSERT_INT(want, got) test_int((long long)(want), (long long)(got), __FILE__, __LINE__, #got)
#define ASSERT_STR(want, got) test_str((want), (got), __FILE__, __LINE__, #got)

static inline void test_check(int ok, const char *file, int line, const char *what)
{
    if (ok)
        return;
    printf("%s:%d: failed: %s\n", file, line, what);
    test_failed = 1;
}

static inline void test_int(long long want, long long got, const char *file, int line, const char *what)
{
    if (want == got)
        return;
    printf("%s:%d: %s is %lld, wanted %lld\n", file, line, what, got, want);
    test_failed = 1;
}

static inline void test_str(const char *want, const char *got, const char *file, int line, const char *what)
{
    if (got && strcmp(want, got) == 0)
        return;
    printf("%s:%d: %s is \"%s\", wanted \"%s\"\n", file, line, what, got ? got : "(null)", want);
    test_failed = 1;
}
