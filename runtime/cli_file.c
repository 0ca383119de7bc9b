// cli_file.c: files that a program writes.
#include "cli_file.h"
#include "rt_error.h"
#include "rt_state.h"

#include <sys/stat.h>

static bool same_file(const char *one, const char *other)
{
    struct stat a, b;
    return one && other && stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

RtStatus cli_file_is_not_read(const Cli *cli, const Rt *rt, const char *how, const char *path, RtError *error)
{
    const char *const inputs[] = { "/proc/self/exe", rt->weights_path, cli->file, cli->ids_in };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; ++i)
        if (same_file(path, inputs[i]))
            return rt_fail(error, ERR_USAGE, "%s %.600s: this file is read here, it is not replaced", how, path);
    return RT_OK;
}

RtStatus cli_file_is_free(const Cli *cli, const Rt *rt, const char *how, const char *path, RtError *error)
{
    struct stat st;
    if (cli_file_is_not_read(cli, rt, how, path, error) != RT_OK)
        return RT_FAILED;
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return rt_fail(error, ERR_USAGE, "%s %.600s: this is no plain file, it is not replaced", how, path);
    return RT_OK;
}
