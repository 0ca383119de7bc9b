// disguise.c: files that are not what their name says.
#include "disguise.h"

#include "../base/diag.h"

#include <string.h>
#include <strings.h>

static bool begins(Bytes b, const char *with)
{
    const size_t n = strlen(with);
    return b.bytes >= n && strncasecmp((const char *)b.at, with, n) == 0;
}

void disguise_refuse(const char *path, Bytes b, const char *want)
{
    const Loc at = loc_file(path);
    if (b.bytes == 0)
        error_at(at, ERR_FILE_KIND, "the file is empty, %s was expected", want);
    if (begins(b, "version https://git-lfs.github.com/spec/"))
        error_at(loc_hint(at, "fetch the file itself: git lfs pull"), ERR_FILE_KIND,
                 "this is a Git LFS pointer, %s was expected", want);
    if (begins(b, "PK\003\004"))
        error_at(at, ERR_FILE_KIND, "this is a zip archive (a pickled PyTorch checkpoint is one), %s was expected",
                 want);
    size_t space = 0;
    while (space < b.bytes && space < 64 && strchr(" \t\r\n", b.at[space]) && b.at[space])
        ++space;
    const Bytes text = { b.at + space, b.bytes - space };
    if (begins(text, "<!doctype html") || begins(text, "<html") || begins(text, "<head"))
        error_at(at, ERR_FILE_KIND, "this is an HTML page, %s was expected", want);
}
