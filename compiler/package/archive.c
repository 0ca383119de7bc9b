// archive.c: libNAME.a: the runtime's object and the package as another, in the archive format of System V's ar.
#include "package_write.h"

#include "../base/diag.h"
#include "../base/embedded.h"
#include "../base/vec.h"

#include <ar.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

typedef VEC(const char *) Symbols;

// The parts of an object file; any range outside it is a bug of the build.
static const void *part(Bytes object, uint64_t at, uint64_t bytes)
{
    if (at > object.bytes || bytes > object.bytes - at)
        error_at(NOWHERE, ERR_INTERNAL, "the runtime's object file is damaged");
    return object.at + at;
}

// Names that other objects may refer to, for the archive's index.
static Symbols symbols_of(Arena *a, Bytes object)
{
    const Elf64_Ehdr *e = part(object, 0, sizeof *e);
    const Elf64_Shdr *sections = part(object, e->e_shoff, (uint64_t)e->e_shnum * sizeof *sections);
    Symbols names = { 0 };
    for (int i = 0; i < e->e_shnum; ++i) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= e->e_shnum)
            continue;
        const Elf64_Sym *symbols = part(object, s->sh_offset, s->sh_size);
        const char *text = part(object, sections[s->sh_link].sh_offset, sections[s->sh_link].sh_size);
        for (uint64_t k = 0; k < s->sh_size / sizeof *symbols; ++k) {
            const char *name = text + symbols[k].st_name;
            if (ELF64_ST_BIND(symbols[k].st_info) == STB_GLOBAL && symbols[k].st_shndx != SHN_UNDEF)
                vec_push(a, &names, name);
        }
    }
    return names;
}

enum { NONE, RODATA, STACK, SYMTAB, STRTAB, SHSTRTAB, OBJECT_SECTIONS };

// An object file that has the package as llmc_package[] and its size as llmc_package_bytes (runtime/library_package.h).
static Bytes package_object(Arena *a, Bytes package, const Elf64_Ehdr *like)
{
    static const char names[] = "\0.rodata\0.note.GNU-stack\0.symtab\0.strtab\0.shstrtab";
    static const char strings[] = "\0llmc_package\0llmc_package_bytes";
    const uint64_t count = package.bytes, aligned = (package.bytes + 7) / 8 * 8, rodata = WEIGHTS_ALIGN;
    const Elf64_Sym symbols[] = {
        { 0 },
        { 1, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), STV_HIDDEN, RODATA, 0, count },
        { 1 + sizeof "llmc_package", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), STV_HIDDEN, RODATA, aligned, sizeof count },
    };
    const uint64_t symtab = rodata + aligned + sizeof count, strtab = symtab + sizeof symbols,
                   shstrtab = strtab + sizeof strings, table = (shstrtab + sizeof names + 7) / 8 * 8;
    const Elf64_Shdr sections[OBJECT_SECTIONS] = {
        [RODATA] = { 1, SHT_PROGBITS, SHF_ALLOC, 0, rodata, aligned + sizeof count, 0, 0, WEIGHTS_ALIGN, 0 },
        [STACK] = { 9, SHT_PROGBITS, 0, 0, symtab, 0, 0, 0, 1, 0 },
        [SYMTAB] = { 25, SHT_SYMTAB, 0, 0, symtab, sizeof symbols, STRTAB, 1, 8, sizeof *symbols },
        [STRTAB] = { 33, SHT_STRTAB, 0, 0, strtab, sizeof strings, 0, 0, 1, 0 },
        [SHSTRTAB] = { 41, SHT_STRTAB, 0, 0, shstrtab, sizeof names, 0, 0, 1, 0 },
    };
    Elf64_Ehdr head = *like; // the same machine and byte order
    head.e_shoff = table;
    head.e_shnum = OBJECT_SECTIONS;
    head.e_shstrndx = SHSTRTAB;
    uint8_t *out = arena_alloc(a, table + sizeof sections);
    memset(out, 0, table + sizeof sections);
    memcpy(out, &head, sizeof head);
    memcpy(out + rodata, package.at, package.bytes);
    memcpy(out + rodata + aligned, &count, sizeof count);
    memcpy(out + symtab, symbols, sizeof symbols);
    memcpy(out + strtab, strings, sizeof strings);
    memcpy(out + shstrtab, names, sizeof names);
    memcpy(out + table, sections, sizeof sections);
    return (Bytes){ out, table + sizeof sections };
}

static void put_member(FILE *f, const char *name, const void *at, size_t bytes)
{
    fprintf(f, "%-16s%-12d%-6d%-6d%-8o%-10zu" ARFMAG, name, 0, 0, 0, 0644u, bytes); // no time, no owner: the same bytes twice
    fwrite(at, 1, bytes, f);
    if (bytes % 2)
        fputc('\n', f);
}

static void put_word(Str *s, uint64_t value)
{
    const uint8_t bytes[] = { (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value };
    str_add_bytes(s, bytes, sizeof bytes);
}

OutFile *archive_write(Arena *a, const char *path, const PackageInput *in)
{
    const Bytes library = embedded_file("library.o");
    const Elf64_Ehdr *like = part(library, 0, sizeof *like);
    const Bytes package = package_object(a, package_bytes(a, in), like);
    const Symbols names[] = { symbols_of(a, library), symbols_of(a, package) };
    const int count = names[0].n + names[1].n;
    size_t index_bytes = 4 * (size_t)(count + 1);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < names[i].n; ++k)
            index_bytes += strlen(names[i].at[k]) + 1;
    // The index: how many names, big-endian; for each the place of its member in the file; the names.
    uint64_t at[2] = { SARMAG + sizeof(struct ar_hdr) + (index_bytes + 1) / 2 * 2, 0 };
    at[1] = at[0] + sizeof(struct ar_hdr) + (library.bytes + 1) / 2 * 2;
    Str index = str_new(a);
    put_word(&index, (uint64_t)count);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < names[i].n; ++k)
            put_word(&index, at[i]);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < names[i].n; ++k)
            str_add_bytes(&index, names[i].at[k], strlen(names[i].at[k]) + 1);
    OutFile *out = file_create(a, path);
    fwrite(ARMAG, 1, SARMAG, out->stream);
    put_member(out->stream, "/", index.text, index.bytes);
    put_member(out->stream, "library.o/", library.at, library.bytes);
    put_member(out->stream, "package.o/", package.at, package.bytes);
    file_finish(out);
    return out;
}
