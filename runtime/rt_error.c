// rt_error.c: filling an RtError; exit codes of the error table.
#include "rt_error.h"

#include <stdarg.h>
#include <stdio.h>

RtStatus rt_fail(RtError *error, ErrorId id, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(error->text, sizeof error->text, fmt, args);
    va_end(args);
    error->id = id;
    error->advice[0] = 0;
    return RT_FAILED;
}

void rt_advise(RtError *error, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(error->advice, sizeof error->advice, fmt, args);
    va_end(args);
}

int rt_exit_code(ErrorId id)
{
    static const struct {
        int number, exit_code;
    } table[] = {
#define ERROR_EXIT(name, number, exit_code, title, advice) { number, exit_code },
        ERROR_TABLE(ERROR_EXIT)
#undef ERROR_EXIT
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (table[i].number == (int)id)
            return table[i].exit_code;
    return 1;
}

CountText count_text(uint64_t n)
{
    char digits[24];
    CountText out;
    const int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    int to = 0;
    for (int i = 0; i < count; ++i) {
        if (i && (count - i) % 3 == 0)
            out.text[to++] = ',';
        out.text[to++] = digits[i];
    }
    out.text[to] = 0;
    return out;
}
