// tools.c: which tool is taken, what it is given, and the exact words when it is missing, too old or fails; with
// stand-ins for nvcc and NVRTC, so that no CUDA is needed. Arguments: bin folder, logs folder, stand-in NVRTC. The
// loader's path begins with a folder whose libnvrtc.so.* are empty files: they hide real ones.
#include "../said.h"
#include "../test.h"
#include "text.h"

#include <libgen.h>

enum { VARIABLES = 6 };

typedef struct Case {
    const char *environment[VARIABLES]; // "NAME=value"
    BuildOptions options;
    const char *text, *target;
    Artifact (*build)(Arena *, const Source *, const Target *, const BuildOptions *);
} Case;

static void run(const void *with)
{
    const Case *c = with;
    static const char *const cleared[] = { "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "HOME" };
    for (int i = 0; i < ARRAY_LEN(cleared); ++i)
        unsetenv(cleared[i]);
    for (int i = 0; i < VARIABLES && c->environment[i]; ++i)
        putenv((char *)c->environment[i]);
    Arena *a = arena_new();
    const Source s = text_of(a, c->text ? c->text : "a\nb\nc\nd\ne\nf\n");
    const Artifact art =
        (c->build ? c->build : build_any)(a, &s, target_load(a, c->target ? c->target : "a100"), &c->options);
    fprintf(stderr, "%s made %.*s", art.tool, (int)art.bytes, art.image ? (const char *)art.image : "");
    for (int i = 0; i < art.n_kernels; ++i)
        fprintf(stderr, "kernel %s, %d registers\n", art.kernels[i].name, art.kernels[i].registers);
    arena_free(a);
}

static void expect(Case c, int code, const char *want)
{
    const Said s = said(run, &c);
    ASSERT_STR(want, s.text);
    ASSERT_INT(code, s.code);
}

static void check_missing(void)
{
    expect((Case){ .environment = { "PATH=/nowhere" }, .options = { .toolkit = "/none" }, .build = build_nvcc }, 4,
           "llmc: error: no nvcc in PATH, /none/bin; NVRTC needs no toolkit: `pip install nvidia-cuda-nvrtc`, then "
           "--nvrtc "
           "[E1000]\n");
    expect((Case){ { "PATH=/nowhere", "CUDA_HOME=/opt/a", "CUDA_PATH=/opt/b" },
                   { .toolkit = "/none" },
                   .build = build_nvcc },
           4,
           "llmc: error: no nvcc in PATH, /opt/a/bin, /opt/b/bin, /none/bin; NVRTC needs no toolkit: `pip install "
           "nvidia-cuda-nvrtc`, then --nvrtc [E1000]\n");
    expect((Case){ .environment = { NULL }, .options = { .nvcc = "/nowhere/nvcc" } }, 4,
           "llmc: error: --nvcc names /nowhere/nvcc: there is no nvcc [E1000]\n");
    expect((Case){ .environment = { NULL }, .options = { .nvrtc = "/nowhere/libnvrtc.so" } }, 4,
           "llmc: error: --nvrtc names /nowhere/libnvrtc.so: there is no such file [E1000]\n");
    expect((Case){ .environment = { NULL }, .options = { .nvrtc = "/etc/passwd" } }, 4,
           "llmc: error: --nvrtc names /etc/passwd: it cannot be loaded as NVRTC [E1000]\n");
    expect((Case){ .environment = { NULL }, .options = { .nvrtc = "/etc" } }, 4,
           "llmc: error: --nvrtc names /etc: no libnvrtc.so.13 or .12 lies there [E1000]\n");
    expect((Case){ .environment = { NULL }, .options = { .nvcc = "", .nvrtc = "" } }, 2,
           "llmc: error: --nvcc and --nvrtc exclude each other [E0200]\n");
}

// Needs a machine without pip's NVRTC in /usr/local, which cannot be hidden.
static void check_nothing_at_all(void)
{
    Arena *a = arena_new();
    const char *searched;
    const BuildOptions none = { .toolkit = "/none" };
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    unsetenv("VIRTUAL_ENV");
    unsetenv("CONDA_PREFIX");
    setenv("HOME", "/nowhere", 1);
    const char *found = build_find_nvrtc(a, &none, &searched);
    if (found) {
        printf("SKIP: %s is found whatever the environment says, so the message of a bare machine cannot be tested\n",
               found);
    } else {
        expect(
            (Case){ .environment = { "PATH=/nowhere", "HOME=/home/x", "VIRTUAL_ENV=/venv" },
                    .options = { .toolkit = "/none" } },
            4,
            "llmc: error: no CUDA compiler: no nvcc in PATH, /none/bin; no libnvrtc.so.13 or .12 in the loader's path, "
            "/none/lib64; pip's nvidia folders in /venv, /home/x/.local, /usr/local; `pip install nvidia-cuda-nvrtc` "
            "is "
            "enough [E1000]\n");
        expect((Case){ .environment = { "PATH=/nowhere" }, .options = { .toolkit = "/none", .nvrtc = "" } }, 4,
               "llmc: error: no libnvrtc.so.13 or .12 in the loader's path, /none/lib64; pip's nvidia folders in "
               "/usr/local; `pip install nvidia-cuda-nvrtc` is enough [E1000]\n");
    }
    arena_free(a);
}

static void check_nvcc(Arena *a, const char *bin, const char *logs)
{
    const char *nvcc = str_join(a, bin, "nvcc"), *extra[] = { "-lineinfo" };
    const char *facts = str_format(a, "STAND_IN_SAYS=%s", str_join(a, logs, "nvcc_13_facts.log"));
    const char *errors = str_format(a, "STAND_IN_SAYS=%s", str_join(a, logs, "nvcc_13_errors.log"));
    const char *made = "nvcc 12.4.131 made  -cubin -arch=sm_80 --fmad=false -Xptxas -v -o decode.cubin decode.cu\n";
    const char *told = str_format(a,
                                  "%skernel fill, 35 registers\nkernel decode_4096, 64 registers\n"
                                  "kernel decode_384, 12 registers\n",
                                  made);
    const char *path = str_format(a, "PATH=%s:/usr/bin:/bin", bin), *version = "STAND_IN_NVCC=12.4.131";
    // In PATH, as a path, as a folder, as a toolkit; PATH comes before CUDA_HOME.
    expect((Case){ .environment = { path, version, "CUDA_HOME=/nowhere" }, .options = { 0 } }, 0, made);
    expect((Case){ .environment = { version, facts }, .options = { .nvcc = nvcc } }, 0, told);
    expect((Case){ .environment = { version }, .options = { .nvcc = bin } }, 0, made);
    const char *home = dirname((char *)str_copy(a, bin, strlen(bin)));
    expect((Case){ .environment = { version, "PATH=/usr/bin:/bin", str_format(a, "CUDA_HOME=%s", home) },
                   .options = { 0 } },
           0, made);
    expect((Case){ .environment = { version, "PATH=/usr/bin:/bin" }, .options = { .toolkit = home } }, 0, made);
    expect((Case){ .environment = { version }, .options = { .nvcc = nvcc, .sm = 75, .extra = extra, .n_extra = 1 } }, 0,
           "nvcc 12.4.131 made  -cubin -arch=sm_75 --fmad=false -Xptxas -v -lineinfo -o decode.cubin decode.cu\n");
    expect((Case){ .environment = { "STAND_IN_NVCC=13.0.88" }, .options = { .nvcc = nvcc } }, 0,
           "nvcc 13.0.88 made  -cubin -arch=sm_80 --fmad=false -Xptxas -v -o decode.cubin decode.cu\n");
    // Versions and architectures.
    expect((Case){ .environment = { "STAND_IN_NVCC=12.4.131" }, .options = { .nvcc = nvcc }, .target = "rtx-5090" }, 4,
           str_format(a, "llmc: error: nvcc 12.4.131 (%s) does not know sm_120: CUDA 12.8 or newer has it [E1004]\n",
                      nvcc));
    expect((Case){ .environment = { "STAND_IN_NVCC=11.2.152" }, .options = { .nvcc = nvcc }, .target = "rtx-4090" }, 4,
           str_format(a, "llmc: error: nvcc 11.2.152 (%s) does not know sm_89: CUDA 11.8 or newer has it [E1004]\n",
                      nvcc));
    expect((Case){ .environment = { "STAND_IN_NVCC=13.0.88" }, .options = { .nvcc = nvcc, .sm = 70 } }, 4,
           str_format(
               a, "llmc: error: nvcc 13.0.88 (%s) no longer knows sm_70: CUDA 12.9 is the last that has it [E1004]\n",
               nvcc));
    expect((Case){ .environment = { "STAND_IN_NVCC=mute" }, .options = { .nvcc = nvcc } }, 4,
           str_format(a, "llmc: error: %s does not say its version (exit code 3):  [E1001]\n", nvcc));
    // A failed compilation: messages at template lines.
    const Said s =
        said(run, &(Case){ .environment = { version, errors, "STAND_IN_STATUS=2" }, .options = { .nvcc = nvcc } });
    ASSERT_INT(4, s.code);
    ASSERT(str_starts(s.text, "templates/gemv_rows.cu:104: error: identifier \"ww\" is undefined\n"));
    ASSERT(str_ends(s.text, "llmc: error: nvcc 12.4.131 cannot compile the rendered text [E1001]\n"));
    const char *host = str_format(a, "STAND_IN_SAYS=%s", str_join(a, logs, "host_compiler.log"));
    const Said h =
        said(run, &(Case){ .environment = { version, host, "STAND_IN_STATUS=1" }, .options = { .nvcc = nvcc } });
    ASSERT(strstr(h.text, "\nnote: this nvcc does not accept the host compiler: give it another one with -Xnvcc "
                          "-ccbin=g++-12, or use --nvrtc, which needs none\n") != NULL);
    // -### prints the command and does nothing.
    expect((Case){ .environment = { "TMPDIR=/t" }, .options = { .nvcc = nvcc, .dry_run = true } }, 0,
           str_format(a,
                      "%s -cubin -arch=sm_80 --fmad=false -Xptxas -v -o /t/llmc-XXXXXX/decode.cubin "
                      "/t/llmc-XXXXXX/decode.cu\nnvcc made ",
                      nvcc));
}

static void check_nvrtc(Arena *a, const char *nvrtc)
{
    const char *extra[] = { "-lineinfo" };
    const char *made =
        "nvrtc 11.0 made decode.cu 0 x\n|-arch=sm_80|--fmad=false|--ptxas-options=-vkernel k, 10 registers\n";
    expect((Case){ .environment = { NULL }, .options = { .nvrtc = nvrtc }, .text = "x\n" }, 0, made);
    const char *folder = dirname((char *)str_copy(a, nvrtc, strlen(nvrtc)));
    expect((Case){ .environment = { NULL }, .options = { .nvrtc = folder }, .text = "x\n" }, 0, made);
    expect((Case){ .environment = { NULL },
                   .options = { .nvrtc = nvrtc, .sm = 75, .extra = extra, .n_extra = 1 },
                   .text = "x\n" },
           0,
           "nvrtc 11.0 made decode.cu 0 x\n|-arch=sm_75|--fmad=false|--ptxas-options=-v|-lineinfokernel k, 10 "
           "registers\n");
    expect((Case){ .environment = { NULL }, .options = { .nvrtc = nvrtc, .verbose = true }, .text = "x\n" }, 0,
           str_format(a, "nvrtc 11.0 (%s) -arch=sm_80 --fmad=false --ptxas-options=-v decode.cu\n%s", nvrtc, made));
    expect((Case){ .environment = { NULL }, .options = { .nvrtc = nvrtc, .dry_run = true }, .text = "wrong\n" }, 0,
           str_format(a, "nvrtc 11.0 (%s) -arch=sm_80 --fmad=false --ptxas-options=-v decode.cu\nnvrtc 11.0 made ",
                      nvrtc));
    expect(
        (Case){ .environment = { NULL }, .options = { .nvrtc = nvrtc }, .target = "rtx-3050" }, 4,
        str_format(a, "llmc: error: nvrtc 11.0 (%s) does not know sm_86: CUDA 11.1 or newer has it [E1004]\n", nvrtc));
    expect((Case){ .environment = { NULL }, .options = { .nvrtc = nvrtc, .sm = 999 } }, 4,
           str_format(a, "llmc: error: nvrtc 11.0 (%s) does not know sm_999 [E1004]\n", nvrtc));
    expect((Case){ .environment = { NULL }, .options = { .nvrtc = nvrtc }, .text = "x\nwrong\n" }, 4,
           "templates/decode.cu:102: error: identifier \"wrong\" is undefined\n"
           "llmc: error: nvrtc 11.0 cannot compile the rendered text [E1001]\n");
    expect((Case){ .environment = { NULL }, .options = { .nvrtc = nvrtc }, .text = "silent\n" }, 4,
           "nvrtc: error: NVRTC_ERROR_INTERNAL_ERROR\n"
           "llmc: error: nvrtc 11.0 cannot compile the rendered text [E1001]\n");
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    if (argc != 4)
        return 2;
    check_missing();
    check_nvcc(a, argv[1], argv[2]);
    check_nvrtc(a, argv[3]);
    check_nothing_at_all();
    arena_free(a);
    return test_failed;
}
