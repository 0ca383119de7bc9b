// squeeze.c: unsqueeze() with every number checked: a package may have been changed by anyone.
#include "squeeze.h"

#include <stdint.h>
#include <string.h>

typedef struct In {
    const unsigned char *at, *end;
    bool broken;
} In;

static size_t number(In *in)
{
    size_t n = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        if (in->at == in->end)
            break;
        const unsigned char byte = *in->at++;
        n |= (size_t)(byte & 127) << shift;
        if (byte < 128)
            return n;
    }
    in->broken = true;
    return 0;
}

bool unsqueeze(unsigned char *to, size_t whole, const unsigned char *from, size_t bytes)
{
    In in = { from, from + bytes, false };
    size_t done = 0;
    while (in.at < in.end) {
        const size_t plain = number(&in);
        if (in.broken || plain > (size_t)(in.end - in.at) || plain > whole - done)
            return false;
        memcpy(to + done, in.at, plain);
        in.at += plain;
        done += plain;
        const size_t copied = number(&in);
        const size_t back = copied ? number(&in) : 0;
        if (in.broken || copied > whole - done || back > done || (copied && !back))
            return false;
        for (size_t i = 0; i < copied; ++i, ++done)
            to[done] = to[done - back];
    }
    return done == whole;
}
