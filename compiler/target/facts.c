// facts.c: the table of a target's facts: read and check them, write and print them; what need not be known is in extras.c.
#include "target.h"

#include "../base/disguise.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum FactType { FACT_INT, FACT_INT64, FACT_DOUBLE } FactType;

typedef struct Fact {
    const char *name;
    FactType type;
    size_t at;
    double low, high;
} Fact;

// clang-format off
// Order of target_write_json. The ranges only keep out slips; `sm` and shared memory are checked further.
static const Fact facts[TARGET_FACTS] = {
    { "sm",               FACT_INT,    offsetof(Target, sm),               0,         999    },
    { "sms",              FACT_INT,    offsetof(Target, sms),              1,         1024   },
    { "worker_threads",   FACT_INT,    offsetof(Target, worker_threads),   32,        1024   },
    { "smem_block_bytes", FACT_INT,    offsetof(Target, smem_block_bytes), 16 << 10,  16 << 20 },
    { "regs_per_sm",      FACT_INT,    offsetof(Target, regs_per_sm),      16 << 10,  1 << 20 },
    { "l2_bytes",         FACT_INT,    offsetof(Target, l2_bytes),         64 << 10,  1 << 30 },
    { "dram_bytes",       FACT_INT64,  offsetof(Target, dram_bytes),       1 << 28,   1e13   },
    { "dram_gbs",         FACT_DOUBLE, offsetof(Target, dram_gbs),         0.1,       1e5    },
    { "barrier_us",       FACT_DOUBLE, offsetof(Target, barrier_us),       0.01,      1e4    },
};
// clang-format on

static const char *const from_names[] = { "measured", "data sheet", "driver", "chosen", "plan" };

// Largest shared memory of one block by opt-in: CUDA C++ programming guide, table of compute capabilities (that of a
// multiprocessor less the 1 KiB that the system keeps, from 8.0 on).
static const struct {
    int sm, smem_max;
} archs[] = {
    { 75, 65536 },   { 80, 166912 },  { 86, 101376 },  { 87, 166912 },  { 89, 101376 },  { 90, 232448 },
    { 100, 232448 }, { 103, 232448 }, { 110, 232448 }, { 120, 101376 }, { 121, 101376 },
};

int target_smem_max(int sm)
{
    for (int i = 0; i < ARRAY_LEN(archs); ++i)
        if (archs[i].sm == sm)
            return archs[i].smem_max;
    return 0;
}

int target_fact(const char *name)
{
    for (int i = 0; i < TARGET_FACTS; ++i)
        if (str_equal(facts[i].name, name))
            return i;
    return -1;
}

void target_set_source(Target *t, int fact, FactFrom from, const char *source)
{
    t->from[fact] = from;
    t->source[fact] = source;
    if (str_equal(facts[fact].name, "dram_gbs")) {
        t->dram_gbs_measured = from == FACT_MEASURED;
        t->dram_source = source;
    } else if (str_equal(facts[fact].name, "barrier_us")) {
        t->barrier_us_measured = from == FACT_MEASURED;
        t->barrier_source = source;
    }
}

static void set_value(Target *t, const Fact *f, Json value)
{
    unsigned char *at = (unsigned char *)t + f->at;
    if (f->type == FACT_INT) {
        const int i = (int)json_int(value, (int64_t)f->low, (int64_t)f->high);
        memcpy(at, &i, sizeof i);
    } else if (f->type == FACT_INT64) {
        const int64_t i = json_int(value, (int64_t)f->low, (int64_t)f->high);
        memcpy(at, &i, sizeof i);
    } else {
        const double d = json_double(value, f->low, f->high);
        memcpy(at, &d, sizeof d);
    }
}

// The shortest text that reads back as the same number.
static const char *value_text(Arena *a, const Target *t, const Fact *f)
{
    const unsigned char *at = (const unsigned char *)t + f->at;
    int i;
    int64_t wide;
    double d;
    if (f->type == FACT_INT) {
        memcpy(&i, at, sizeof i);
        return str_format(a, "%d", i);
    }
    if (f->type == FACT_INT64) {
        memcpy(&wide, at, sizeof wide);
        return str_format(a, "%lld", (long long)wide);
    }
    memcpy(&d, at, sizeof d);
    for (int digits = 6;; ++digits) {
        const char *text = str_format(a, "%.*g", digits, d);
        if (digits == 17 || strtod(text, NULL) == d)
            return text;
    }
}

static TargetKind read_kind(Json object)
{
    const Json kind = json_want(object, "kind");
    const char *name = json_string(kind);
    if (!str_equal(name, "cuda") && !str_equal(name, "cpu"))
        error_at(json_loc(kind), ERR_TARGET, "kind is \"%s\": must be \"cuda\" or \"cpu\"", name);
    return str_equal(name, "cpu") ? TARGET_CPU : TARGET_CUDA;
}

// What no range can say. `value[i]`: where fact i stands.
static void check_facts(Arena *a, const Target *t, const Json *value)
{
    const Json sm = value[0], threads = value[target_fact("worker_threads")];
    const int smem_max = target_smem_max(t->sm);
    if (t->kind == TARGET_CPU && t->sm != 0)
        error_at(json_loc(sm), ERR_TARGET, "sm is %d: must be 0, as the kind is \"cpu\"", t->sm);
    if (t->kind == TARGET_CUDA && !smem_max) {
        Str known = str_new(a);
        for (int i = 0; i < ARRAY_LEN(archs); ++i)
            str_add(&known, "%s%d", i ? " " : "", archs[i].sm);
        error_at(json_loc(sm), ERR_TARGET, "sm is %d: must be one of %s", t->sm, known.text);
    }
    if (t->worker_threads % 32)
        error_at(json_loc(threads), ERR_TARGET, "worker_threads is %d: must be a multiple of 32, whole warps",
                 t->worker_threads);
    if (t->kind == TARGET_CUDA && t->smem_block_bytes > smem_max)
        error_at(json_loc(value[target_fact("smem_block_bytes")]), ERR_TARGET,
                 "smem_block_bytes is %s: a block on sm_%d gets at most %s", str_count(a, t->smem_block_bytes), t->sm,
                 str_count(a, smem_max));
    if (t->kind == TARGET_CUDA && t->regs_per_sm / t->worker_threads < 32)
        error_at(json_loc(threads), ERR_TARGET,
                 "worker_threads is %d: leaves each thread %d of %s registers, 32 are needed", t->worker_threads,
                 t->regs_per_sm / t->worker_threads, str_count(a, t->regs_per_sm));
}

// ---- target files -------------------------------------------------------------------------------------------------

static FactFrom read_from(Json fact)
{
    const Json from = json_want(fact, "from");
    const char *name = json_string(from);
    for (int i = 0; i < FACT_PLAN; ++i)
        if (str_equal(name, from_names[i]))
            return (FactFrom)i;
    error_at(json_loc(from), ERR_TARGET, "%s is \"%s\": must be \"measured\", \"data sheet\", \"driver\" or \"chosen\"",
             json_path(from) + 2, name);
}

static const char *read_source(Json fact)
{
    const Json source = json_want(fact, "source");
    const char *text = json_string(source);
    if (!*text)
        error_at(json_loc(source), ERR_TARGET, "%s is empty: must say where the figure comes from",
                 json_path(source) + 2);
    return text;
}

static void refuse_unknown_keys(Json object, const char *const *known, int n)
{
    for (Json v = json_first(object); v.node; v = json_next(v)) {
        bool found = false;
        for (int i = 0; i < n && !found; ++i)
            found = str_equal(json_key(v), known[i]);
        if (found)
            continue;
        const char *nearest = str_nearest(json_key(v), known, n);
        error_at(json_key_loc(v), ERR_TARGET, "%s is not a key of a target%s%s", json_path(v) + 2,
                 nearest ? ": did you mean " : "", nearest ? nearest : "");
    }
}

// The name and the card stand in comments of the rendered text and in file names, so they hold nothing that could end
// one.
static const char *plain_text(Json object, const char *key, bool is_name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    const Json v = json_want(object, key);
    const char *text = json_string(v);
    if (!*text || strlen(text) > 127)
        error_at(json_loc(v), ERR_TARGET, "%s has %zu bytes: must have 1 to 127", key, strlen(text));
    if (is_name && text[strspn(text, letters)])
        error_at(json_loc(v), ERR_TARGET, "%s is \"%s\": must be letters, digits, '-', '.' and '_'", key, text);
    for (const char *c = text; *c; ++c)
        if ((unsigned char)*c < 0x20 || *c == 0x7f || *c == '\\')
            error_at(json_loc(v), ERR_TARGET, "%s has the byte 0x%02x: must be plain text", key, (unsigned char)*c);
    return text;
}

Target *target_parse(Arena *a, const char *name, const char *text, size_t bytes)
{
    static const char *const members[] = { "value", "from", "source" };
    const char *keys[3 + TARGET_FACTS + TARGET_EXTRAS] = { "name", "gpu", "kind" };
    Json value[TARGET_FACTS];
    const Json root = json_parse(a, name, text, bytes, -1);
    Target *t = arena_alloc(a, sizeof *t);
    disguise_refuse_json(root, "the description of a GPU");
    t->name = plain_text(root, "name", true);
    t->gpu = plain_text(root, "gpu", false);
    t->kind = read_kind(root);
    for (int i = 0; i < TARGET_FACTS; ++i)
        keys[3 + i] = facts[i].name;
    for (int i = 0; i < TARGET_EXTRAS; ++i)
        keys[3 + TARGET_FACTS + i] = target_extra_name(i);
    refuse_unknown_keys(root, keys, ARRAY_LEN(keys));
    for (int i = 0; i < TARGET_FACTS; ++i) {
        const Json fact = want_object(root, facts[i].name);
        refuse_unknown_keys(fact, members, ARRAY_LEN(members));
        value[i] = json_want(fact, "value");
        set_value(t, &facts[i], value[i]);
        target_set_source(t, i, read_from(fact), read_source(fact));
    }
    for (int i = 0; i < TARGET_EXTRAS; ++i) {
        if (!json_is(json_get(root, target_extra_name(i))))
            continue;
        const Json fact = want_object(root, target_extra_name(i));
        refuse_unknown_keys(fact, members, ARRAY_LEN(members));
        target_read_extra(t, i, json_want(fact, "value"));
        t->extra_from[i] = read_from(fact);
        t->extra_source[i] = read_source(fact);
    }
    check_facts(a, t, value);
    return t;
}

static void write_fact(const char *name, const char *value, FactFrom from, const char *source, Str *out)
{
    str_add(out, ",\n    \"%s\": { \"value\": %s, \"from\": \"%s\",\n        \"source\": %s }", name, value, from_names[from],
            json_quote(out->arena, source));
}

void target_write_file(const Target *t, Str *out)
{
    Arena *a = out->arena;
    str_add(out, "{\n    \"name\": %s,\n    \"gpu\": %s,\n    \"kind\": \"%s\"", json_quote(a, t->name), json_quote(a, t->gpu),
            t->kind == TARGET_CPU ? "cpu" : "cuda");
    for (int i = 0; i < TARGET_FACTS; ++i)
        write_fact(facts[i].name, value_text(a, t, &facts[i]), t->from[i], t->source[i], out);
    for (int i = 0; i < TARGET_EXTRAS; ++i)
        if (t->extra_source[i])
            write_fact(target_extra_name(i), target_extra_text(a, t, i), t->extra_from[i], t->extra_source[i], out);
    str_add(out, "\n}\n");
}

// ---- plan.json ----------------------------------------------------------------------------------------------------

void target_write_json(const Target *t, Str *out)
{
    str_add(out, "{\"name\": %s, \"gpu\": %s, \"kind\": \"%s\"", json_quote(out->arena, t->name),
            json_quote(out->arena, t->gpu), t->kind == TARGET_CPU ? "cpu" : "cuda");
    for (int i = 0; i < TARGET_FACTS; ++i)
        str_add(out, ", \"%s\": %s", facts[i].name, value_text(out->arena, t, &facts[i]));
    str_add(out, ", \"dram_gbs_measured\": %s, \"barrier_us_measured\": %s}", t->dram_gbs_measured ? "true" : "false",
            t->barrier_us_measured ? "true" : "false");
}

Target *target_read_json(Arena *a, Json section)
{
    const char *keys[5 + TARGET_FACTS] = { "name", "gpu", "kind", "dram_gbs_measured", "barrier_us_measured" };
    Json value[TARGET_FACTS];
    Target *t = arena_alloc(a, sizeof *t);
    t->name = plain_text(section, "name", true);
    t->gpu = plain_text(section, "gpu", false);
    t->kind = read_kind(section);
    for (int i = 0; i < TARGET_FACTS; ++i) {
        keys[5 + i] = facts[i].name;
        value[i] = json_want(section, facts[i].name);
        set_value(t, &facts[i], value[i]);
        target_set_source(t, i, FACT_PLAN, json_loc(section).file);
    }
    t->dram_gbs_measured = want_bool(section, "dram_gbs_measured");
    t->barrier_us_measured = want_bool(section, "barrier_us_measured");
    refuse_unknown_keys(section, keys, ARRAY_LEN(keys));
    check_facts(a, t, value);
    const char *own = target_text(t->name); // a plan holds what it depends on; predictions know more of llmc's own cards
    if (own)
        target_take_extras(t, target_parse(a, t->name, own, strlen(own)));
    return t;
}

// ---- for people ---------------------------------------------------------------------------------------------------

void target_print(const Target *t, Str *out)
{
    str_add(out, "%s: %s\n", t->name, t->gpu);
    for (int i = 0; i < TARGET_FACTS; ++i) {
        const char *value = value_text(out->arena, t, &facts[i]);
        if (facts[i].type != FACT_DOUBLE)
            value = str_count(out->arena, strtoll(value, NULL, 10));
        str_add(out, "  %-16s %16s  %-10s  %s\n", facts[i].name, value, from_names[t->from[i]], t->source[i]);
    }
    for (int i = 0; i < TARGET_EXTRAS; ++i)
        if (t->extra_source[i])
            str_add(out, "  %-16s %16s  %-10s  %s\n", target_extra_name(i), target_extra_text(out->arena, t, i),
                    from_names[t->extra_from[i]], t->extra_source[i]);
}
