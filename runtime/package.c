// package.c: finds the package at the end of a program, maps it, checks its form.
#include "package_open.h"
#include "squeeze.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static RtStatus broken(RtError *error, const char *name, const char *what)
{
    rt_fail(error, ERR_PACKAGE, "%.600s: %s", name, what);
    rt_advise(error, "copy the program again from where it was made, or compile it again; do not strip it");
    return RT_FAILED;
}

static RtStatus map_file(Package *p, const char *path, const char *name, RtError *error)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rt_fail(error, ERR_FILE_MISSING, "%.600s: %s", name, strerror(errno));
    struct stat st;
    void *map = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (map == MAP_FAILED)
        return broken(error, name, "it is empty or not a file");
    p->file = map;
    p->file_bytes = (size_t)st.st_size;
    p->mapped = true;
    return RT_OK;
}

// Finds the section table; *sections lies in the file.
static RtStatus find_table(const Package *p, const char *name, const PkgSection **sections, uint32_t *count,
                           RtError *error)
{
    PkgFooter footer;
    PkgHeader header;
    if (p->file_bytes < sizeof footer + sizeof header)
        return broken(error, name, "this program has lost its package: the file is too short");
    const uint64_t footer_at = p->file_bytes - sizeof footer;
    memcpy(&footer, p->file + footer_at, sizeof footer);
    if (memcmp(footer.magic, PKG_END_MAGIC, sizeof footer.magic) != 0)
        return broken(error, name, "this program has lost its package: nothing stands behind its code");
    if (footer.header_at % 8 || footer.header_at > footer_at - sizeof header)
        return broken(error, name, "the package's footer points outside the file: a part of the file is missing");
    memcpy(&header, p->file + footer.header_at, sizeof header);
    if (memcmp(header.magic, PKG_MAGIC, sizeof header.magic) != 0)
        return broken(error, name, "the package's header is not where the footer says: a part of the file is missing");
    if (header.version != PKG_VERSION) {
        rt_fail(error, ERR_PACKAGE, "%.600s: the package has format version %u, this program's code reads version %d",
                name, header.version, PKG_VERSION);
        rt_advise(error, "compile the model again with one version of llmc");
        return RT_FAILED;
    }
    const uint64_t table_bytes = footer_at - footer.header_at - sizeof header;
    if (header.sections * sizeof(PkgSection) != table_bytes)
        return broken(error, name, "the package's table of sections has another size than its header says");
    if (package_digest(p->file + footer.header_at, sizeof header + table_bytes) != footer.digest)
        return broken(error, name, "the package's table of sections is damaged: digests differ");
    *sections = (const PkgSection *)(p->file + footer.header_at + sizeof header);
    *count = header.sections;
    return RT_OK;
}

static const char *const section_names[] = {
    "",     "plan",  "matrices",  "norms",     "schedules", "waves", "tasks",  "ints",
    "rope", "image", "tokenizer", "plan.json", "source",    "map",   "report", "why there is no tokenizer",
    "license", "weights", "chat template", "trace",
};
_Static_assert(sizeof section_names / sizeof *section_names == PKG_KINDS, "a name for each kind");

// Fills found[kind] for the kinds this version knows; others may stand there and are skipped.
static RtStatus find_sections(const Package *p, const char *name, const PkgSection *sections, uint32_t count,
                              PackageBytes found[PKG_KINDS], RtError *error)
{
    const uint64_t end = (uint64_t)((const unsigned char *)sections - p->file);
    for (uint32_t i = 0; i < count; ++i) {
        const PkgSection *s = &sections[i];
        if (s->kind == 0 || s->kind >= PKG_KINDS)
            continue;
        const char *what = section_names[s->kind];
        if (s->at % (s->kind == PKG_WEIGHTS ? WEIGHTS_ALIGN : 64) || s->at > end || s->bytes > end - s->at)
            return rt_fail(error, ERR_PACKAGE, "%.600s: section \"%s\" lies outside the package", name, what);
        if (found[s->kind].at)
            return rt_fail(error, ERR_PACKAGE, "%.600s: section \"%s\" stands twice in the package", name, what);
        if (s->kind != PKG_WEIGHTS && package_sum(p->file + s->at, s->bytes) != s->digest)
            return rt_fail(error, ERR_DIGEST, "%.600s@0x%llx: section \"%s\" is damaged: digests differ", name,
                           (unsigned long long)s->at, what);
        found[s->kind] = (PackageBytes){ p->file + s->at, s->bytes };
    }
    return RT_OK;
}

// Room that a section takes when it is not squeezed any more; 0 where it stands as it is, or is of no kind that this version knows.
static size_t unsqueezed_bytes(const PkgSection *s)
{
    return s->kind && s->kind < PKG_KINDS ? ((size_t)s->whole + 63) / 64 * 64 : 0;
}

// Puts what they stand for in place of the sections that are squeezed: all in one allocation, each at a multiple of 64.
static RtStatus unsqueeze_sections(Package *p, const char *name, const PkgSection *sections, uint32_t count,
                                   PackageBytes found[PKG_KINDS], RtError *error)
{
    size_t all = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const size_t bytes = unsqueezed_bytes(&sections[i]);
        if (bytes && (sections[i].kind == PKG_WEIGHTS || sections[i].whole > SQUEEZE_MOST))
            return rt_fail(error, ERR_PACKAGE, "%.600s: section \"%s\" says that it stands for %u bytes", name,
                           section_names[sections[i].kind], sections[i].whole);
        all += bytes;
    }
    if (!all)
        return RT_OK;
    p->unsqueezed = aligned_alloc(64, all);
    if (!p->unsqueezed)
        return rt_fail(error, ERR_MEMORY, "%.600s: no memory for the %zu bytes of its texts and its code", name, all);
    unsigned char *to = p->unsqueezed;
    for (uint32_t i = 0; i < count; ++i) {
        const PkgSection *s = &sections[i];
        if (!unsqueezed_bytes(s))
            continue;
        if (!unsqueeze(to, s->whole, p->file + s->at, s->bytes))
            return rt_fail(error, ERR_PACKAGE, "%.600s: section \"%s\" does not give the %u bytes that it stands for", name,
                           section_names[s->kind], s->whole);
        found[s->kind] = (PackageBytes){ to, s->whole };
        to += unsqueezed_bytes(s);
    }
    return RT_OK;
}

// A table of `count` records of `bytes` each.
static RtStatus want_table(const char *name, PackageBytes found, int kind, uint64_t count, size_t bytes, RtError *error)
{
    const char *what = section_names[kind];
    if (!found.at)
        return rt_fail(error, ERR_PACKAGE, "%.600s: the package has no section \"%s\"", name, what);
    if (found.bytes != count * bytes)
        return rt_fail(error, ERR_PACKAGE, "%.600s: section \"%s\" has %zu bytes, not %llu", name, what, found.bytes,
                       (unsigned long long)(count * bytes));
    return RT_OK;
}

static RtStatus assign_sections(Package *p, const char *name, const PackageBytes *found, RtError *error)
{
    if (want_table(name, found[PKG_PLAN], PKG_PLAN, 1, sizeof(PkgPlan), error) != RT_OK)
        return RT_FAILED;
    p->plan = found[PKG_PLAN].at;
    const struct {
        int kind;
        uint64_t count;
        size_t bytes;
    } tables[] = {
        { PKG_MATRICES, p->plan->matrices, sizeof(PkgMatrix) },
        { PKG_NORMS, p->plan->norms, sizeof(PkgNorm) },
        { PKG_SCHEDULES, p->plan->schedules, sizeof(PkgSchedule) },
        { PKG_WAVES, p->plan->waves, sizeof(PkgWave) },
        { PKG_TASKS, p->plan->tasks, sizeof(PkgTask) },
        { PKG_INTS, found[PKG_INTS].bytes / sizeof(uint32_t), sizeof(uint32_t) },
        { PKG_ROPE, p->plan->head_dim / 2, sizeof(double) },
        { PKG_IMAGE, found[PKG_IMAGE].bytes, 1 },
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        if (want_table(name, found[tables[i].kind], tables[i].kind, tables[i].count, tables[i].bytes, error) != RT_OK)
            return RT_FAILED;
    p->matrices = found[PKG_MATRICES].at;
    p->norms = found[PKG_NORMS].at;
    p->schedules = found[PKG_SCHEDULES].at;
    p->waves = found[PKG_WAVES].at;
    p->tasks = found[PKG_TASKS].at;
    p->ints = found[PKG_INTS].at;
    if (found[PKG_TRACE].at) {
        const size_t bytes = sizeof(PkgTrace) + p->plan->waves * sizeof(PkgTraceWave);
        if (want_table(name, found[PKG_TRACE], PKG_TRACE, 1, bytes, error) != RT_OK)
            return RT_FAILED;
        p->trace = found[PKG_TRACE].at;
        p->trace_waves = (const PkgTraceWave *)(p->trace + 1);
    }
    p->n_ints = found[PKG_INTS].bytes / sizeof(uint32_t);
    p->rope = found[PKG_ROPE].at;
    p->image = found[PKG_IMAGE];
    p->tokenizer = found[PKG_TOKENIZER];
    p->plan_json = found[PKG_PLAN_JSON];
    p->source = found[PKG_SOURCE];
    p->map = found[PKG_MAP];
    p->report = found[PKG_REPORT];
    p->no_tokenizer = found[PKG_NO_TOKENIZER];
    p->chat_template = found[PKG_TEMPLATE];
    p->license = found[PKG_LICENSE];
    p->weights = found[PKG_WEIGHTS];
    return RT_OK;
}

// Finds and checks what p->file has; closes it where that fails.
static RtStatus take_file(Package *p, const char *name, RtError *error)
{
    PackageBytes found[PKG_KINDS] = { { NULL, 0 } };
    const PkgSection *sections = NULL;
    uint32_t count = 0;
    if (find_table(p, name, &sections, &count, error) == RT_OK &&
        find_sections(p, name, sections, count, found, error) == RT_OK &&
        unsqueeze_sections(p, name, sections, count, found, error) == RT_OK &&
        assign_sections(p, name, found, error) == RT_OK && package_check(p, error) == RT_OK)
        return RT_OK;
    package_close(p);
    return RT_FAILED;
}

RtStatus package_open(Package *p, const char *path, const char *name, RtError *error)
{
    memset(p, 0, sizeof *p);
    return map_file(p, path, name, error) == RT_OK ? take_file(p, name, error) : RT_FAILED;
}

RtStatus package_take(Package *p, const void *at, size_t bytes, const char *name, RtError *error)
{
    *p = (Package){ .file = at, .file_bytes = bytes };
    return take_file(p, name, error);
}

void package_close(Package *p)
{
    if (p->mapped)
        munmap((void *)p->file, p->file_bytes);
    free(p->unsqueezed);
    memset(p, 0, sizeof *p);
}

TensorName tensor_name(const char *pattern, uint32_t layer)
{
    TensorName name;
    const char *hole = strstr(pattern, "%d");
    if (hole)
        snprintf(name.text, sizeof name.text, "%.*s%u%s", (int)(hole - pattern), pattern, layer, hole + 2);
    else
        snprintf(name.text, sizeof name.text, "%s", pattern);
    return name;
}

const PkgSchedule *package_schedule(const Package *p, uint32_t context)
{
    for (uint32_t i = 0; i < p->plan->schedules; ++i)
        if (p->schedules[i].ctx_min <= context && context <= p->schedules[i].ctx_max)
            return &p->schedules[i];
    return NULL;
}

WavePlace package_wave(const Package *p, const PkgSchedule *s, uint32_t wave)
{
    const uint32_t in_layers = p->plan->layers * s->repeat_waves;
    if (wave < s->repeat_first)
        return (WavePlace){ wave, -1 };
    if (wave >= s->repeat_first + in_layers)
        return (WavePlace){ wave - in_layers + s->repeat_waves, -1 };
    const uint32_t inside = wave - s->repeat_first;
    return (WavePlace){ s->repeat_first + inside % s->repeat_waves, (int)(inside / s->repeat_waves) };
}

uint64_t package_matrix_bytes(const Package *p)
{
    bool head = false;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->plan->matrices; ++i)
        head |= p->matrices[i].role == PKG_HEAD;
    for (uint32_t i = 0; i < p->plan->matrices; ++i)
        if ((p->matrices[i].role != PKG_EMBED || !head) && p->matrices[i].stack_row + p->matrices[i].thread == 0) // first of its stack
            bytes += p->matrices[i].bytes * p->matrices[i].layers;
    return bytes;
}

uint64_t package_stream_bytes(const Package *p)
{
    return p->plan->token_bytes;
}

uint64_t package_kv_bytes(const Package *p)
{
    return 2 * (uint64_t)p->plan->layers * p->plan->kv_heads * p->plan->kv_row_bytes;
}
