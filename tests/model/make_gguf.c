// make_gguf.c: GGUF files for tests.
#include "make.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const type_names[] = { "u8",   "i8",  "u16", "i16", "u32", "i32", "f32",
                                          "bool", "str", "arr", "u64", "i64", "f64" };
static const int type_bytes[] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };

static void add_number(Str *out, unsigned long long v, int bytes)
{
    str_add_bytes(out, &v, (size_t)bytes);
}

static void add_string(Str *out, const char *s)
{
    add_number(out, strlen(s), 8);
    str_add_bytes(out, s, strlen(s));
}

static int type_of(const char *name)
{
    for (int i = 0; i < ARRAY_LEN(type_names); ++i)
        if (str_equal(type_names[i], name))
            return i;
    make_fail("no GGUF type %s", name);
    return 0;
}

static void add_value(Str *out, int type, const char *text)
{
    const double d = strtod(text, NULL);
    const float f = (float)d;
    if (str_equal(type_names[type], "str"))
        add_string(out, text);
    else if (str_equal(type_names[type], "f32"))
        str_add_bytes(out, &f, 4);
    else if (str_equal(type_names[type], "f64"))
        str_add_bytes(out, &d, 8);
    else
        add_number(out, *text == '-' ? (unsigned long long)strtoll(text, NULL, 10) : strtoull(text, NULL, 10),
                   type_bytes[type]);
}

static MakeKey *key_named(MakeFile *f, const char *name)
{
    for (int i = 0; i < f->keys.n; ++i)
        if (str_equal(f->keys.at[i].name, name))
            return &f->keys.at[i];
    const MakeKey fresh = { .name = str_format(f->arena, "%s", name) };
    vec_push(f->arena, &f->keys, fresh);
    return &f->keys.at[f->keys.n - 1];
}

static void set_key(MakeFile *f, char **words, int n)
{
    MakeKey *k = key_named(f, words[1]);
    k->bytes = str_new(f->arena);
    const int type = type_of(words[2]);
    add_number(&k->bytes, (unsigned)type, 4);
    if (!str_equal(words[2], "arr")) {
        add_value(&k->bytes, type, n > 3 ? words[3] : "");
        return;
    }
    const int element = type_of(words[3]);
    add_number(&k->bytes, (unsigned)element, 4);
    add_number(&k->bytes, (unsigned long long)(n - 4), 8);
    for (int i = 4; i < n; ++i)
        add_value(&k->bytes, element, words[i]);
}

static void set_raw_key(MakeFile *f, const char *name, const char *hex)
{
    MakeKey *k = key_named(f, name);
    k->bytes = str_new(f->arena);
    for (unsigned byte; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        add_number(&k->bytes, byte, 1);
}

static void drop_key(MakeFile *f, const char *name)
{
    const int at = (int)(key_named(f, name) - f->keys.at);
    --f->keys.n;
    memmove(f->keys.at + at, f->keys.at + at + 1, (size_t)(f->keys.n - at) * sizeof *f->keys.at);
}

bool make_gguf_command(MakeFile *f, char **words, int n)
{
    if (n < 2)
        return false;
    const long long number = strtoll(words[1], NULL, 10);
    if (str_equal(words[0], "key") && n >= 3)
        set_key(f, words, n);
    else if (str_equal(words[0], "rawkey") && n == 3)
        set_raw_key(f, words[1], words[2]);
    else if (str_equal(words[0], "dropkey"))
        drop_key(f, words[1]);
    else if (str_equal(words[0], "twicekey"))
        vec_push(f->arena, &f->keys, *key_named(f, words[1]));
    else if (str_equal(words[0], "version"))
        f->version = number;
    else if (str_equal(words[0], "n_tensors"))
        f->n_tensors = number;
    else if (str_equal(words[0], "n_keys"))
        f->n_keys = number;
    else if (str_equal(words[0], "align"))
        f->alignment = number;
    else
        return false;
    return true;
}

static int type_number(const char *name)
{
    for (int i = 0; i < 64; ++i)
        if (format_gguf_name(i) && str_equal(format_gguf_name(i), name))
            return i;
    return atoi(name);
}

static void pad(Str *out, long long alignment)
{
    while (alignment && out->bytes % (size_t)alignment)
        add_number(out, 0, 1);
}

Str make_gguf_bytes(MakeFile *f)
{
    Str out = str_new(f->arena), data = str_new(f->arena);
    str_add(&out, "GGUF");
    add_number(&out, (unsigned long long)f->version, 4);
    add_number(&out, (unsigned long long)(f->n_tensors < 0 ? f->tensors.n : f->n_tensors), 8);
    add_number(&out, (unsigned long long)(f->n_keys < 0 ? f->keys.n : f->n_keys), 8);
    for (int i = 0; i < f->keys.n; ++i) {
        add_string(&out, f->keys.at[i].name);
        str_add_bytes(&out, f->keys.at[i].bytes.text, f->keys.at[i].bytes.bytes);
    }
    for (int i = 0; i < f->tensors.n; ++i) {
        const MakeTensor *t = &f->tensors.at[i];
        pad(&data, f->alignment);
        add_string(&out, t->name);
        add_number(&out, (unsigned)t->rank, 4);
        for (int d = 0; d < t->rank; ++d)
            add_number(&out, (unsigned long long)t->dims[d], 8);
        add_number(&out, (unsigned)type_number(t->type), 4);
        add_number(&out, t->begin < 0 ? data.bytes : (unsigned long long)t->begin, 8);
        str_add_bytes(&data, t->data.text, t->data.bytes);
    }
    pad(&out, f->alignment);
    str_add_bytes(&out, data.text, data.bytes);
    return out;
}
