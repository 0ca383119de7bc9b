// cli_trace.h: --trace FILE.
#pragma once
#include "cli.h"

// FILE can be written and is no input. Before anything is run. Errors: USAGE, WRITE.
RtStatus cli_trace_check(const Cli *cli, const Rt *rt, RtError *error);

// Writes the last tokens of the last launch; FILE gets its name when it is complete. Errors: the device's, MEMORY, WRITE.
RtStatus cli_trace_save(const Cli *cli, Rt *rt);
