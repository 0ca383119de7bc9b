// run.h: other people's compilers: find one, run it, keep what it says, and a folder for its files.
#pragma once
#include "build.h"

// What a tool said and how it ended.
typedef struct RunResult {
    int status;       // exit status; 128 + number when a signal ended it; 127 when it could not be started
    const char *text; // stdout and stderr in the order they came, ended by a zero byte
    size_t bytes;
} RunResult;

// The file that running `name` would start: itself when it holds a '/', else the first match in PATH. NULL: none.
const char *run_find(Arena *a, const char *name);

// Runs argv[0] (a path, or a name for PATH) with stdin empty and messages in English, and waits for it. NULL ends the
// arguments. `o` may be NULL; o->verbose prints the command to stderr first, o->dry_run prints it and does nothing
// (status 0, no text).
RunResult run_tool(Arena *a, const char *const *argv, const BuildOptions *o);

// A folder for intermediate files: o->save_temps (made if need be, kept), else a new temporary one, which goes with its
// files when the arena is freed or the process ends by an error or a signal. A dry run makes nothing. Error: WRITE.
typedef struct RunFolder RunFolder;
RunFolder *run_folder(Arena *a, const BuildOptions *o);

// The path of a file in it, which the caller or a tool writes.
const char *run_file(RunFolder *f, const char *name);
