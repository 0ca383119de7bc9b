// make.c: make SCRIPT FOLDER: writes checkpoints, whole, broken or hostile, as a script describes them.
//
//   file NAME | safetensors NAME | gguf NAME     begins a file; what follows describes it
//   include PATH                                 the commands of another script
//   text ... | line ...                          bytes of a text file; \n stands for a newline, line ends in one
//   index PREFIX SHARD SHARD2                    an index of the tiny model: names that start with PREFIX lie in SHARD
//   model TYPE [only PREFIX | but PREFIX]        adds the tensors of tiny.h
//   tensor NAME TYPE DIM...                      adds a tensor of zeros, or sets what the header says of it
//   drop NAME | rename NAME NEW | at NAME BEGIN [END] | twice NAME
//   bytes NAME N | data NAME BYTES               changes how much data a tensor has, or its first bytes
//   header ... | header_bytes N                  safetensors: another header, another claim of its length
//   key NAME TYPE VALUE... | rawkey NAME BYTES   GGUF: sets a key; BYTES in hex
//   version N | n_tensors N | n_keys N | align N GGUF: what the head says
//   zeros N | hex BYTES                          behind the built file
//   cut N | patch AT BYTES                       of the finished file: keep N bytes (-N: all but N); overwrite
#include "make.h"

#include "tiny.h"

#include <stdlib.h>

enum { LINE_BYTES = 1 << 16, WORDS = 64 };

void make_fail(const char *format, const char *what)
{
    fprintf(stderr, "make: ");
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    exit(1);
}

static void add_hex(Str *out, const char *hex)
{
    for (unsigned byte; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        const unsigned char b = (unsigned char)byte;
        str_add_bytes(out, &b, 1);
    }
}

// Q8_0 here: one scale for all, 2^-7, so that a value is a whole number of 128ths.
static void add_row(Str *out, const Format *f, const float *row, int cols)
{
    unsigned char packed[TINY_FFN * 4];
    if (f->pack) {
        f->pack(row, packed, cols);
        str_add_bytes(out, packed, (size_t)format_bytes(f, cols));
        return;
    }
    for (int at = 0; at < cols; at += 32) {
        const unsigned char scale[] = { 0x00, 0x20 };
        str_add_bytes(out, scale, 2);
        for (int i = 0; i < 32; ++i) {
            const signed char q = (signed char)rintf(row[at + i] * 127.0f);
            str_add_bytes(out, &q, 1);
        }
    }
}

Str make_data(Arena *a, const char *name, const Format *f, MakeKind kind)
{
    Str out = str_new(a);
    for (int i = 0; i < TINY_TENSORS; ++i) {
        const TinyTensor t = tiny_tensor(i);
        float row[TINY_FFN];
        for (int r = 0; strcmp(t.name, name) == 0 && r < t.rows; ++r) {
            const int from = kind == MAKE_GGUF ? tiny_source_row(&t, r) : r;
            for (int c = 0; c < t.cols; ++c)
                row[c] = tiny_value(name, from, c);
            add_row(&out, f, row, t.cols);
        }
    }
    return out;
}

static MakeTensor *find(MakeFile *f, const char *name)
{
    for (int i = 0; i < f->tensors.n; ++i)
        if (str_equal(f->tensors.at[i].name, name))
            return &f->tensors.at[i];
    return NULL;
}

static MakeTensor *want(MakeFile *f, const char *name)
{
    MakeTensor *t = find(f, name);
    if (!t)
        make_fail("no tensor %s to change", name);
    return t;
}

// Vectors of a GGUF are F32, whatever the matrices are, as converters write them.
static void add_model(MakeFile *f, char **words, int n)
{
    for (int i = 0; i < TINY_TENSORS; ++i) {
        const TinyTensor t = tiny_tensor(i);
        const bool match = n == 4 && str_starts(t.name, words[3]);
        if (n == 4 && match != str_equal(words[2], "only"))
            continue;
        const bool gguf = f->kind == MAKE_GGUF;
        const char *type = gguf && t.rows == 1 ? "F32" : words[1];
        MakeTensor m = { .name = str_format(f->arena, "%s", gguf ? t.gguf : t.name),
                         .type = str_format(f->arena, "%s", type),
                         .rank = t.rows == 1 ? 1 : 2,
                         .begin = -1,
                         .end = -1 };
        m.dims[0] = t.rows == 1 || gguf ? t.cols : t.rows;
        m.dims[1] = gguf ? t.rows : t.cols;
        m.data = make_data(f->arena, t.name, format_find(type), f->kind);
        vec_push(f->arena, &f->tensors, m);
    }
}

static void set_tensor(MakeFile *f, char **words, int n)
{
    MakeTensor *t = find(f, words[1]);
    if (!t) {
        const MakeTensor fresh = {
            .name = str_format(f->arena, "%s", words[1]), .begin = -1, .end = -1, .data = str_new(f->arena)
        };
        vec_push(f->arena, &f->tensors, fresh);
        t = &f->tensors.at[f->tensors.n - 1];
    }
    const bool fresh = t->type == NULL;
    t->type = str_format(f->arena, "%s", words[2]);
    t->rank = n - 3;
    unsigned long long values = 1;
    for (int i = 0; i < t->rank; ++i) {
        t->dims[i] =
            *words[3 + i] == '-' ? strtoll(words[3 + i], NULL, 10) : (long long)strtoull(words[3 + i], NULL, 10);
        values *= (unsigned long long)t->dims[i];
    }
    const Format *format = format_find(t->type);
    for (int64_t i = 0; fresh && i < (format ? format_bytes(format, (int64_t)values) : (int64_t)values); ++i)
        str_add_bytes(&t->data, "", 1);
}

static void set_bytes(MakeTensor *t, size_t bytes)
{
    while (t->data.bytes < bytes)
        str_add_bytes(&t->data, "", 1);
    t->data.bytes = bytes;
}

static bool tensor_command(MakeFile *f, char **words, int n)
{
    if (str_equal(words[0], "model") && n >= 2) {
        add_model(f, words, n);
    } else if (str_equal(words[0], "tensor") && n >= 3) {
        set_tensor(f, words, n);
    } else if (str_equal(words[0], "drop")) {
        const MakeTensor *t = want(f, words[1]);
        const int at = (int)(t - f->tensors.at);
        --f->tensors.n;
        memmove(f->tensors.at + at, f->tensors.at + at + 1, (size_t)(f->tensors.n - at) * sizeof *t);
    } else if (str_equal(words[0], "twice")) {
        const MakeTensor t = *want(f, words[1]);
        vec_push(f->arena, &f->tensors, t);
    } else if (str_equal(words[0], "rename") && n == 3) {
        want(f, words[1])->name = str_format(f->arena, "%s", words[2]);
    } else if (str_equal(words[0], "at") && n >= 3) {
        MakeTensor *t = want(f, words[1]);
        t->begin = strtoll(words[2], NULL, 10);
        t->end = n > 3 ? strtoll(words[3], NULL, 10) : t->end;
    } else if (str_equal(words[0], "bytes") && n == 3) {
        set_bytes(want(f, words[1]), (size_t)strtoull(words[2], NULL, 10));
    } else if (str_equal(words[0], "data") && n == 3) {
        MakeTensor *t = want(f, words[1]);
        Str patch = str_new(f->arena);
        add_hex(&patch, words[2]);
        memcpy(t->data.text, patch.text, patch.bytes < t->data.bytes ? patch.bytes : t->data.bytes);
    } else if (str_equal(words[0], "header_bytes")) {
        f->header_bytes = str_format(f->arena, "%s", words[1]);
    } else {
        return f->kind == MAKE_GGUF && make_gguf_command(f, words, n);
    }
    return true;
}

static void add_index(MakeFile *f, char **words)
{
    long total = 0; // of BF16
    for (int i = 0; i < TINY_TENSORS; ++i)
        total += 2l * tiny_tensor(i).rows * tiny_tensor(i).cols;
    str_add(&f->text, "{\n  \"metadata\": {\"total_size\": %ld},\n  \"weight_map\": {\n", total);
    for (int i = 0; i < TINY_TENSORS; ++i) {
        const TinyTensor t = tiny_tensor(i);
        str_add(&f->text, "    \"%s\": \"%s\"%s\n", t.name, words[str_starts(t.name, words[1]) ? 2 : 3],
                i + 1 < TINY_TENSORS ? "," : "");
    }
    str_add(&f->text, "  }\n}\n");
}

static void add_text(Str *out, const char *text)
{
    for (; *text; ++text)
        if (text[0] == '\\' && text[1] == 'n' && ++text)
            str_add_bytes(out, "\n", 1);
        else
            str_add_bytes(out, text, 1);
}

static void cut_or_patch(Str *bytes, const char *command)
{
    char hex[256];
    long long at = 0;
    if (sscanf(command, "cut %lld", &at) == 1) {
        bytes->bytes = (size_t)(at < 0 ? (long long)bytes->bytes + at : at);
    } else if (sscanf(command, "patch %lld %255s", &at, hex) == 2) {
        Str patch = str_new(bytes->arena);
        add_hex(&patch, hex);
        memcpy(bytes->text + at, patch.text, patch.bytes);
    } else {
        make_fail("not a command: %s", command);
    }
}

static void finish(MakeFile *f, const char *folder)
{
    if (!f->name)
        return;
    Str bytes = f->kind == MAKE_TEXT   ? str_new(f->arena)
                : f->kind == MAKE_GGUF ? make_gguf_bytes(f)
                                       : make_safetensors_bytes(f);
    str_add_bytes(&bytes, f->text.text, f->text.bytes);
    for (int i = 0; i < f->after.n; ++i)
        cut_or_patch(&bytes, f->after.at[i]);
    FILE *out = fopen(str_join(f->arena, folder, f->name), "wb");
    if (!out || fwrite(bytes.text, 1, bytes.bytes, out) != bytes.bytes || fclose(out) != 0)
        make_fail("cannot write %s", f->name);
}

static void begin(MakeFile *f, const char *kind, const char *name)
{
    Arena *a = f->arena;
    *f = (MakeFile){ .arena = a,
                     .kind = *kind == 's'   ? MAKE_SAFETENSORS
                             : *kind == 'g' ? MAKE_GGUF
                                            : MAKE_TEXT,
                     .name = str_format(a, "%s", name),
                     .text = str_new(a),
                     .version = 3,
                     .alignment = 32,
                     .n_tensors = -1,
                     .n_keys = -1 };
}

static void run_script(MakeFile *f, const char *folder, const char *path);

static void run_line(MakeFile *f, const char *folder, char *line, const char *script)
{
    const char *rest = strchr(line, ' ') ? strchr(line, ' ') + 1 : "";
    char copy[LINE_BYTES], *words[WORDS];
    int n = 0;
    strcpy(copy, line);
    for (char *w = strtok(copy, " "); w && n < WORDS; w = strtok(NULL, " "))
        words[n++] = w;
    if (n == 0 || *line == '#')
        return;
    if (str_equal(words[0], "file") || str_equal(words[0], "safetensors") || str_equal(words[0], "gguf")) {
        finish(f, folder);
        begin(f, words[0], words[1]);
    } else if (str_equal(words[0], "include")) {
        const char *slash = strrchr(script, '/');
        run_script(f, folder, str_format(f->arena, "%.*s%s", slash ? (int)(slash - script) + 1 : 0, script, words[1]));
    } else if (str_equal(words[0], "text") || str_equal(words[0], "line")) {
        add_text(&f->text, rest);
        str_add(&f->text, "%s", *words[0] == 'l' ? "\n" : "");
    } else if (str_equal(words[0], "header")) {
        f->header = str_format(f->arena, "%s", rest);
    } else if (str_equal(words[0], "index") && n == 4) {
        add_index(f, words);
    } else if (str_equal(words[0], "zeros")) {
        for (long i = strtol(words[1], NULL, 10); i > 0; --i)
            str_add_bytes(&f->text, "", 1);
    } else if (str_equal(words[0], "hex")) {
        add_hex(&f->text, words[1]);
    } else if (str_equal(words[0], "cut") || str_equal(words[0], "patch")) {
        vec_push(f->arena, &f->after, str_format(f->arena, "%s", line));
    } else if (!tensor_command(f, words, n)) {
        make_fail("not a command: %s", line);
    }
}

static void run_script(MakeFile *f, const char *folder, const char *path)
{
    char line[LINE_BYTES];
    FILE *in = fopen(path, "r");
    if (!in)
        make_fail("no script %s", path);
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        run_line(f, folder, line, path);
    }
    fclose(in);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        make_fail("usage: make SCRIPT FOLDER%s", "");
    MakeFile f = { .arena = arena_new() };
    run_script(&f, argv[2], argv[1]);
    finish(&f, argv[2]);
    arena_free(f.arena);
    return 0;
}
