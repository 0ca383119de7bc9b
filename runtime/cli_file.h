// cli_file.h: files that a program writes.
#pragma once
#include "rt.h"

// Are both there, and the same file? NULL: is none.
bool cli_same_file(const char *one, const char *other);

// Refuses `path`, which `how` names, where it is a file that the program reads (itself, its weights, `inputs`, NULL at their end) or where
// something is there that is no plain file. USAGE.
RtStatus cli_file_is_free(const Rt *rt, const char *how, const char *path, const char *const inputs[], RtError *error);
