// cli_trace.c: --trace FILE: what workers and waves did in the last tokens of a run.
#include "cli_trace.h"
#include "cli_file.h"
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// Some 200 bytes an event: a token of Llama 3.2 1B on 128 workers has 4 MB.
enum { TRACE_TOKENS = 4 };

// Writes FILE.part and, if it has become whole, gives it its name. trace NULL: only whether that could be.
static RtStatus write_file(const char *path, const Trace *trace, const char *device, RtError *error)
{
    char part[4096];
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        return rt_fail(error, ERR_WRITE, "the name of a file is %zu bytes long", strlen(path));
    FILE *out = fopen(part, "w");
    if (!out)
        return rt_fail(error, ERR_WRITE, "%.400s: %s", path, strerror(errno));
    if (trace)
        trace_write(trace, device, out);
    errno = 0;
    const bool wrong = ferror(out) != 0, closed = fclose(out) == 0;
    if (!wrong && closed && (trace ? rename(part, path) : remove(part)) == 0)
        return RT_OK;
    const int why = errno ? errno : EIO;
    remove(part);
    return rt_fail(error, ERR_WRITE, "%.400s: %s", path, strerror(why));
}

RtStatus cli_trace_check(const Cli *cli, const Rt *rt, RtError *error)
{
    if (!cli->trace)
        return RT_OK;
    struct stat st;
    if (cli_file_is_not_read(cli, rt, "--trace", cli->trace, error) != RT_OK)
        return RT_FAILED;
    if (strcmp(cli->trace, "-") == 0 || (stat(cli->trace, &st) == 0 && !S_ISREG(st.st_mode)))
        return rt_fail(error, ERR_USAGE, "--trace %.600s: name a file", cli->trace);
    return write_file(cli->trace, NULL, NULL, error);
}

RtStatus cli_trace_save(const Cli *cli, Rt *rt)
{
    Trace trace;
    if (!cli->trace)
        return RT_OK;
    if (trace_read(rt, TRACE_TOKENS, &trace) != RT_OK)
        return RT_FAILED;
    const RtStatus status = write_file(cli->trace, &trace, rt->info.name, &rt->error);
    trace_free(&trace);
    return status;
}
