// nvrtc_stand_in.c: a stand-in for libnvrtc that knows sm_75 and sm_80. Text with "wrong" in it does not compile; the
// "cubin" of any other is the options and the text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Program {
    char log[4096], cubin[4096];
} Program;

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(Program **, const char *text, const char *name, int n, const char *const *, const char *const *);
int nvrtcCompileProgram(Program *p, int n, const char *const *options);
int nvrtcGetProgramLogSize(Program *p, size_t *bytes);
int nvrtcGetProgramLog(Program *p, char *log);
int nvrtcGetCUBINSize(Program *p, size_t *bytes);
int nvrtcGetCUBIN(Program *p, char *cubin);
int nvrtcDestroyProgram(Program **p);
int nvrtcGetNumSupportedArchs(int *n);
int nvrtcGetSupportedArchs(int *archs);
const char *nvrtcGetErrorString(int status);

int nvrtcVersion(int *major, int *minor)
{
    *major = 11;
    *minor = 0;
    return 0;
}

int nvrtcCreateProgram(Program **p, const char *text, const char *name, int n, const char *const *a,
                       const char *const *b)
{
    (void)a;
    (void)b;
    *p = calloc(1, sizeof **p);
    snprintf((*p)->cubin, sizeof(*p)->cubin, "%s %d %s", name, n, text);
    return *p ? 0 : 1;
}

int nvrtcCompileProgram(Program *p, int n, const char *const *options)
{
    if (strstr(p->cubin, "silent"))
        return 11;
    if (strstr(p->cubin, "wrong")) {
        snprintf(p->log, sizeof p->log, "decode.cu(2): error: identifier \"wrong\" is undefined\n");
        return 6;
    }
    for (int i = 0; i < n; ++i)
        strncat(strncat(p->cubin, "|", 2), options[i], 100);
    snprintf(p->log, sizeof p->log,
             "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
             "ptxas info    : Function properties for k\n"
             "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
             "ptxas info    : Used 10 registers, 360 bytes cmem[0]\n");
    return 0;
}

int nvrtcGetProgramLogSize(Program *p, size_t *bytes)
{
    *bytes = strlen(p->log) + 1;
    return 0;
}

int nvrtcGetProgramLog(Program *p, char *log)
{
    strcpy(log, p->log);
    return 0;
}

int nvrtcGetCUBINSize(Program *p, size_t *bytes)
{
    *bytes = strlen(p->cubin);
    return 0;
}

int nvrtcGetCUBIN(Program *p, char *cubin)
{
    memcpy(cubin, p->cubin, strlen(p->cubin));
    return 0;
}

int nvrtcDestroyProgram(Program **p)
{
    free(*p);
    *p = NULL;
    return 0;
}

int nvrtcGetNumSupportedArchs(int *n)
{
    *n = 2;
    return 0;
}

int nvrtcGetSupportedArchs(int *archs)
{
    archs[0] = 75;
    archs[1] = 80;
    return 0;
}

const char *nvrtcGetErrorString(int status)
{
    return status == 11 ? "NVRTC_ERROR_INTERNAL_ERROR" : "another error";
}
