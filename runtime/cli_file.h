// cli_file.h: files that a program writes.
#pragma once
#include "cli.h"

// Refuses `path`, which `how` names, where it is a file that the program reads: itself, its weights, -f, --ids-in. USAGE.
RtStatus cli_file_is_not_read(const Cli *cli, const Rt *rt, const char *how, const char *path, RtError *error);
// And where something is there that is no plain file. USAGE.
RtStatus cli_file_is_free(const Cli *cli, const Rt *rt, const char *how, const char *path, RtError *error);
