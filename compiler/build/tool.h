// tool.h: what nvcc.c and nvrtc.c share.
#pragma once
#include "build.h"

// A CUDA version as one number: 12.8 is 1208.
enum { CUDA_VERSION_UNKNOWN = 0 };

// The architecture that is compiled for: --arch, else the target's.
int tool_sm(const Target *t, const BuildOptions *o);

// Why CUDA of this version cannot compile for `sm`, or NULL as far as the table knows.
const char *tool_arch_refusal(Arena *a, int version, int sm);

// The folders that CUDA_HOME, CUDA_PATH and the options name, each with `below` ("bin"); NULL-terminated.
const char *const *tool_folders(Arena *a, const BuildOptions *o, const char *below);

// "PATH, /opt/cuda/bin, /usr/local/cuda/bin": the list behind a first place, for messages.
const char *tool_places(Arena *a, const char *first, const char *const *folders);

// Prints the log at template lines, advice where the cause is known, and ends the process. Error: TOOL_FAILED.
_Noreturn void tool_failed(Arena *a, const Source *s, const char *tool, const char *log);
