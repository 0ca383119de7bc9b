// append.c: embedded code + package -> executable or shared library, and the package of one read back.
#include "package_write.h"
#include "squeeze.h"
#include "tables.h"

#include "../base/diag.h"
#include "../base/embedded.h"
#include "../base/vec.h"
#include "../../runtime/squeeze.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_ALIGN = 64 };

typedef struct Section {
    uint32_t kind;
    const void *at;
    size_t bytes;
    bool squeezed; // when it is written, where that makes it shorter
} Section;

typedef struct Sections {
    Section at[PKG_KINDS];
    int n;
} Sections;

static void add(Sections *s, uint32_t kind, const void *at, size_t bytes)
{
    if (at && bytes)
        s->at[s->n++] = (Section){ kind, at, bytes, false };
}

static void add_squeezed(Sections *s, uint32_t kind, const void *at, size_t bytes)
{
    const int n = s->n;
    add(s, kind, at, bytes);
    if (s->n > n && bytes <= SQUEEZE_MOST)
        s->at[n].squeezed = true;
}

static void add_text(Sections *s, uint32_t kind, const char *text)
{
    add_squeezed(s, kind, text, text ? strlen(text) : 0);
}

static Sections collect(Arena *a, const PackageInput *in)
{
    const PkgTables *t = package_tables(a, in);
    Sections s = { .n = 0 };
    add(&s, PKG_PLAN, &t->plan, sizeof t->plan);
    add(&s, PKG_MATRICES, t->matrices, t->plan.matrices * sizeof *t->matrices);
    add(&s, PKG_NORMS, t->norms, t->plan.norms * sizeof *t->norms);
    add(&s, PKG_SCHEDULES, t->schedules, t->plan.schedules * sizeof *t->schedules);
    add(&s, PKG_WAVES, t->waves, t->plan.waves * sizeof *t->waves);
    add(&s, PKG_TASKS, t->tasks, t->plan.tasks * sizeof *t->tasks);
    add(&s, PKG_INTS, t->ints, (size_t)t->n_ints * sizeof *t->ints);
    add(&s, PKG_ROPE, t->rope, t->plan.head_dim / 2 * sizeof *t->rope);
    const Bytes trace = package_trace(a, in->plan);
    add(&s, PKG_TRACE, trace.at, trace.bytes);
    add_squeezed(&s, PKG_IMAGE, in->image, in->image_bytes);
    if (in->tokenizer)
        add(&s, PKG_TOKENIZER, in->tokenizer->tables, in->tokenizer->bytes);
    if (in->chat)
        add(&s, PKG_TEMPLATE, in->chat->tables, in->chat->bytes);
    add_text(&s, PKG_PLAN_JSON, in->plan_json);
    add_text(&s, PKG_SOURCE, in->source);
    add_text(&s, PKG_MAP, in->map);
    add_text(&s, PKG_REPORT, in->report);
    add_text(&s, PKG_LICENSE, in->license);
    if (!in->tokenizer || !in->tokenizer->tables)
        add_text(&s, PKG_NO_TOKENIZER, in->tokenizer && in->tokenizer->why_not ? in->tokenizer->why_not : "no tokenizer was packed");
    return s;
}

static uint64_t pad(FILE *f, uint64_t at, uint64_t align)
{
    for (; at % align; ++at)
        fputc(0, f);
    return at;
}

// The package behind `at` bytes of `f`, which is out's stream where weights go into it.
static void write_package(Arena *a, FILE *f, uint64_t at, OutFile *out, const PackageInput *in)
{
    const Sections s = collect(a, in);
    int n = s.n;
    at = pad(f, at, SECTION_ALIGN);
    PkgSection *table = arena_alloc(a, (size_t)(n + 1) * sizeof *table);
    for (int i = 0; i < s.n; ++i) {
        Bytes bytes = { s.at[i].at, s.at[i].bytes };
        const Bytes shorter = s.at[i].squeezed ? squeeze(a, bytes.at, bytes.bytes) : bytes;
        const uint32_t whole = shorter.bytes < bytes.bytes ? (uint32_t)bytes.bytes : 0;
        bytes = whole ? shorter : bytes;
        table[i] = (PkgSection){ s.at[i].kind, whole, at, bytes.bytes, package_sum(bytes.at, bytes.bytes) };
        fwrite(bytes.at, 1, bytes.bytes, f);
        at = pad(f, at + bytes.bytes, SECTION_ALIGN);
    }
    if (out && in->weights) {
        at = pad(f, at, WEIGHTS_ALIGN);
        const uint64_t bytes = (uint64_t)weights_pack_at(a, in->plan, in->weights, in->weights_source, out, (int64_t)at);
        table[n++] = (PkgSection){ PKG_WEIGHTS, 0, at, bytes, 0 };
        at = pad(f, at + bytes, SECTION_ALIGN);
    }
    const PkgHeader header = { PKG_MAGIC, PKG_VERSION, (uint32_t)n };
    const size_t table_bytes = (size_t)n * sizeof *table;
    char *both = arena_alloc(a, sizeof header + table_bytes);
    memcpy(both, &header, sizeof header);
    memcpy(both + sizeof header, table, table_bytes);
    const PkgFooter footer = { at, package_digest(both, sizeof header + table_bytes), PKG_END_MAGIC };
    fwrite(both, 1, sizeof header + table_bytes, f);
    fwrite(&footer, 1, sizeof footer, f);
}

OutFile *package_write(Arena *a, const char *path, const PackageInput *in)
{
    const Bytes code = embedded_file(in->library ? "library.so" : "stub");
    OutFile *out = file_create(a, path);
    out->executable = true;
    fwrite(code.at, 1, code.bytes, out->stream);
    write_package(a, out->stream, code.bytes, out, in);
    file_finish(out);
    return out;
}

static void release(void *what)
{
    free(what);
}

Bytes package_bytes(Arena *a, const PackageInput *in)
{
    char *bytes = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&bytes, &n);
    if (!f)
        error_at(NOWHERE, ERR_MEMORY, "no memory for a package");
    write_package(a, f, 0, NULL, in);
    const bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed)
        error_at(NOWHERE, ERR_MEMORY, "no memory for a package");
    arena_defer(a, release, bytes);
    return (Bytes){ (const uint8_t *)bytes, n };
}

static _Noreturn void broken(const char *path, const char *what)
{
    error_at(loc_file(path), ERR_PACKAGE, "not a program made by llmc: %s", what);
}

// Section table at the end of the file, with every range checked; *n entries.
static const PkgSection *find_sections(Bytes file, const char *path, int *n)
{
    PkgFooter footer;
    PkgHeader header;
    if (file.bytes < sizeof footer + sizeof header)
        broken(path, "the file is too short");
    memcpy(&footer, file.at + file.bytes - sizeof footer, sizeof footer);
    if (memcmp(footer.magic, PKG_END_MAGIC, sizeof footer.magic) != 0)
        broken(path, "there is no package at its end");
    const uint64_t end = file.bytes - sizeof footer;
    if (footer.header_at % SECTION_ALIGN || footer.header_at > end - sizeof header)
        broken(path, "the package begins outside the file");
    memcpy(&header, file.at + footer.header_at, sizeof header);
    if (memcmp(header.magic, PKG_MAGIC, sizeof header.magic) != 0 ||
        end - footer.header_at != sizeof header + header.sections * sizeof(PkgSection) ||
        package_digest(file.at + footer.header_at, end - footer.header_at) != footer.digest)
        broken(path, "the package is damaged");
    if (header.version != PKG_VERSION)
        error_at(loc_file(path), ERR_PACKAGE, "package version %u: this llmc reads %d", header.version, PKG_VERSION);
    *n = (int)header.sections;
    return (const PkgSection *)(file.at + footer.header_at + sizeof header);
}

// What a section stands for; the bytes in the file where it is not squeezed.
static Bytes section_whole(Arena *a, const char *path, const PkgSection *s, Bytes bytes)
{
    if (!s->whole)
        return bytes;
    unsigned char *whole = s->whole <= SQUEEZE_MOST ? arena_alloc(a, s->whole) : NULL;
    if (!whole || !unsqueeze(whole, s->whole, bytes.at, bytes.bytes))
        broken(path, "a section is damaged");
    return (Bytes){ whole, s->whole };
}

static Bytes section(Arena *a, Bytes file, const char *path, const PkgSection *table, int n, uint32_t kind)
{
    for (int i = 0; i < n; ++i) {
        if (table[i].kind != kind)
            continue;
        if (table[i].at % SECTION_ALIGN || table[i].at > file.bytes || table[i].bytes > file.bytes - table[i].at ||
            (kind != PKG_WEIGHTS && package_sum(file.at + table[i].at, table[i].bytes) != table[i].digest))
            broken(path, "a section is damaged");
        return section_whole(a, path, &table[i], (Bytes){ file.at + table[i].at, table[i].bytes });
    }
    return (Bytes){ NULL, 0 };
}

// A shared library is loaded by a program, which names the loader; a program of llmc names it itself.
static bool is_library(Bytes file)
{
    Elf64_Ehdr e;
    Elf64_Phdr p;
    if (file.bytes < sizeof e)
        return false;
    memcpy(&e, file.at, sizeof e);
    for (int i = 0; i < e.e_phnum; ++i) {
        const uint64_t at = e.e_phoff + (uint64_t)i * sizeof p;
        if (at > file.bytes - sizeof p)
            return false;
        memcpy(&p, file.at + at, sizeof p);
        if (p.p_type == PT_INTERP)
            return false;
    }
    return memcmp(e.e_ident, ELFMAG, SELFMAG) == 0 && e.e_type == ET_DYN;
}

static const char *text_of(Arena *a, Bytes b)
{
    return b.at ? str_copy(a, (const char *)b.at, b.bytes) : NULL;
}

PackageInput package_read(Arena *a, const char *path)
{
    const Bytes file = file_map(a, path);
    int n = 0;
    const PkgSection *table = find_sections(file, path, &n);
    const Bytes plan = section(a, file, path, table, n, PKG_PLAN), image = section(a, file, path, table, n, PKG_IMAGE);
    const Bytes tokenizer = section(a, file, path, table, n, PKG_TOKENIZER);
    const Bytes json = section(a, file, path, table, n, PKG_PLAN_JSON);
    const char *source = text_of(a, section(a, file, path, table, n, PKG_SOURCE));
    if (!json.at || plan.bytes != sizeof(PkgPlan))
        broken(path, "the package has no plan");
    const PkgPlan *pkg = (const PkgPlan *)plan.at;
    if (!source || !image.bytes || pkg->eos_count > REQUEST_EOS)
        broken(path, "the package has no code");
    Tokenizer *t = arena_alloc(a, sizeof *t);
    *t = (Tokenizer){ tokenizer.at, tokenizer.bytes, text_of(a, section(a, file, path, table, n, PKG_NO_TOKENIZER)) };
    const Bytes chat = section(a, file, path, table, n, PKG_TEMPLATE);
    ChatTemplate *template = arena_alloc(a, sizeof *template);
    *template = (ChatTemplate){ .tables = chat.at, .bytes = chat.bytes };
    const char *name = str_format(a, "%s (plan.json)", path);
    return (PackageInput){ .plan = plan_read_json(a, name, (const char *)json.at, json.bytes),
                           .plan_json = text_of(a, json),
                           .source = source,
                           .map = text_of(a, section(a, file, path, table, n, PKG_MAP)),
                           .report = text_of(a, section(a, file, path, table, n, PKG_REPORT)),
                           .library = is_library(file), .cpu = pkg->device == PKG_CPU, .image = image.at, .image_bytes = image.bytes, .sm = (int)pkg->sm,
                           .registers = (int)pkg->registers, .tokenizer = t, .chat = template, .bos = pkg->bos, .eos = pkg->eos,
                           .eos_count = (int)pkg->eos_count };
}

Bytes package_weights(Arena *a, const char *path)
{
    const Bytes file = file_map(a, path);
    int n = 0;
    const PkgSection *table = find_sections(file, path, &n);
    return section(a, file, path, table, n, PKG_WEIGHTS);
}

// The text of the version that made it apart: another version may give the same plan.
static bool same_table(uint32_t kind, Bytes there, const void *own, size_t bytes)
{
    PkgPlan one, other;
    if (there.bytes != bytes || kind != PKG_PLAN || bytes != sizeof one)
        return there.bytes == bytes && memcmp(there.at, own, bytes) == 0;
    memcpy(&one, there.at, sizeof one);
    memcpy(&other, own, sizeof other);
    memcpy(one.version, other.version, sizeof one.version);
    return memcmp(&one, &other, sizeof one) == 0;
}

const char *package_difference(Arena *a, const char *path, const PackageInput *in)
{
    static const struct {
        uint32_t kind;
        const char *name;
    } tables[] = { { PKG_PLAN, "plan" },           { PKG_MATRICES, "matrices" }, { PKG_NORMS, "norms" },
                   { PKG_SCHEDULES, "schedules" }, { PKG_WAVES, "waves" },       { PKG_TASKS, "tasks" },
                   { PKG_INTS, "ints" },           { PKG_ROPE, "rope" },
                   { PKG_TRACE, "trace" } };
    const Sections s = collect(a, in);
    const Bytes file = file_map(a, path);
    int n = 0;
    const PkgSection *table = find_sections(file, path, &n);
    for (int i = 0; i < s.n; ++i)
        for (int k = 0; k < ARRAY_LEN(tables); ++k) {
            const Bytes there = section(a, file, path, table, n, tables[k].kind);
            if (s.at[i].kind == tables[k].kind && !same_table(s.at[i].kind, there, s.at[i].at, s.at[i].bytes))
                return tables[k].name;
        }
    return NULL;
}
