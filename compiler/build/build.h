// build.h: Artifact: the rendered text compiled, and what ptxas said of it.
#pragma once
#include "../render/render.h"
#include "../target/target.h"

typedef struct KernelFacts {
    const char *name; // entry function
    int registers, smem_bytes, stack_bytes, spill_bytes;
} KernelFacts;

typedef struct Artifact {
    const void *image; // cubin, or shared object on the CPU
    size_t bytes;
    KernelFacts *kernels;
    int n_kernels;
    const char *tool; // "nvcc 13.0.88", "nvrtc 13.0", "g++ 12.2.0"
    const char *log;  // everything the tool said
} Artifact;

typedef struct BuildOptions {
    const char *nvcc, *nvrtc;  // path given by the user, "" for the search, NULL: not asked for
    const char *const *extra;  // -Xnvcc arguments
    int n_extra;
    int sm;                    // 0: the target's; --arch sm_XX: another, plan unchanged
    const char *save_temps;    // folder to keep intermediate files in, or NULL
    bool verbose, dry_run;     // -v: print commands; -###: print and do nothing
} BuildOptions;

// Compile `s` for the target. Errors: TOOL_MISSING, TOOL_FAILED (messages at template lines), TOOL_ARCH.
Artifact build_nvcc(Arena *a, const Source *s, const Target *t, const BuildOptions *o);
Artifact build_nvrtc(Arena *a, const Source *s, const Target *t, const BuildOptions *o);
Artifact build_cpu(Arena *a, const Source *s, const Target *t, const BuildOptions *o);

// The tool of the options and the target: --nvcc, --nvrtc, else nvcc if there is one, else NVRTC.
Artifact build_any(Arena *a, const Source *s, const Target *t, const BuildOptions *o);

// No spill, no stack, registers and shared memory of one worker on one multiprocessor. Errors: TOOL_SPILL, TOOL_OCCUPANCY.
void build_check(const Artifact *art, const Plan *p);

// Compiler output with the text's lines replaced by the templates' (build/diagmap.c).
const char *build_map_log(Arena *a, const Source *s, const char *log);

// The ptxas facts in a log (nvcc's and NVRTC's -v output have one form).
void build_parse_facts(Arena *a, const char *log, Artifact *art);
