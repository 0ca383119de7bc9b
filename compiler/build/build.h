// build.h: Artifact: the rendered text compiled, and what ptxas said of it.
#pragma once
#include "../render/render.h"
#include "../target/target.h"

typedef struct KernelFacts {
    const char *name; // entry function
    int registers;    // of a thread
    int smem_bytes;   // static; the arena of the plan comes on top
    int stack_bytes, spill_bytes;
} KernelFacts;

typedef struct Artifact {
    const void *image; // cubin, or shared object on the CPU
    bool cpu;
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
    bool cpu;                  // --arch cpu: the text on this machine's cores, plan unchanged
    const char *toolkit;       // where the CUDA toolkit is looked for last; NULL: /usr/local/cuda
    const char *save_temps;    // folder to keep intermediate files in, or NULL
    bool verbose, dry_run;     // -v: print commands; -###: print and do nothing
} BuildOptions;

// Compile `s` for the target. A dry run prints what would be run and gives an artifact without an image.
// Errors: TOOL_MISSING, TOOL_FAILED (messages at template lines), TOOL_ARCH.
Artifact build_nvcc(Arena *a, const Source *s, const Target *t, const BuildOptions *o);
Artifact build_nvrtc(Arena *a, const Source *s, const Target *t, const BuildOptions *o);
Artifact build_cpu(Arena *a, const Source *s, const Target *t, const BuildOptions *o);

// The tool of the options and the target: --nvcc, --nvrtc, else nvcc if there is one, else NVRTC. Error: USAGE when both
// are asked for.
Artifact build_any(Arena *a, const Source *s, const Target *t, const BuildOptions *o);

// No spill, no stack; registers and shared memory of one worker fit on one multiprocessor. An artifact without an image
// or for the CPU has nothing to check. Errors, all at once: TOOL_SPILL, TOOL_OCCUPANCY, TOOL_FAILED (a kernel of the plan
// is not there).
void build_check(const Artifact *art, const Plan *p);

// Compiler output with the text's lines replaced by the templates' (build/diagmap.c). Known forms: FILE(67): and
// FILE:67: or FILE:67:5:, where FILE is decode.cu in any folder.
const char *build_map_log(Arena *a, const Source *s, const char *log);

// The ptxas facts in a log: one entry of art->kernels for each entry function, in the log's order.
void build_parse_facts(Arena *a, const char *log, Artifact *art);

// Where the tools are found, NULL: nowhere. *searched: the places, for messages. nvcc: --nvcc, PATH, CUDA_HOME/bin,
// CUDA_PATH/bin, toolkit/bin. NVRTC: --nvrtc, the loader's path, CUDA_HOME/lib64, CUDA_PATH/lib64, toolkit/lib64, then
// pip's nvidia/cu13/lib and nvidia/cuda_nvrtc/lib in VIRTUAL_ENV, CONDA_PREFIX, ~/.local and /usr/local.
const char *build_find_nvcc(Arena *a, const BuildOptions *o, const char **searched);
const char *build_find_nvrtc(Arena *a, const BuildOptions *o, const char **searched);
