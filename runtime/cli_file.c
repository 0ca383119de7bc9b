// cli_file.c: files that a program writes.
#include "cli_file.h"
#include "rt_error.h"
#include "rt_state.h"

#include <sys/stat.h>

bool cli_same_file(const char *one, const char *other)
{
    struct stat a, b;
    return one && other && stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

RtStatus cli_file_is_free(const Rt *rt, const char *how, const char *path, const char *const inputs[], RtError *error)
{
    bool read = cli_same_file(path, "/proc/self/exe") || cli_same_file(path, rt->weights_path);
    struct stat st;
    for (int i = 0; inputs[i] && !read; ++i)
        read = cli_same_file(path, inputs[i]);
    if (read)
        return rt_fail(error, ERR_USAGE, "%s %.600s: this file is read here, it is not replaced", how, path);
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return rt_fail(error, ERR_USAGE, "%s %.600s: this is no plain file, it is not replaced", how, path);
    return RT_OK;
}
