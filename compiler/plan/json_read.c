// json_read.c: plan.json -> Plan. The form is checked here; whether the plan is right, plan_check proves.
#include "plan_json.h"

#include "../base/disguise.h"
#include "../base/json.h"

#include <stdlib.h>

// Any sum or product of two of them that is formed before plan_check has seen them fits its type.
enum { MOST = 1 << 30, MOST_ROWS = 1 << 24 };
#define MOST_BYTES (1ll << 52)

// The op that stands for `what`: outside the layers, or of layer 0.
static int find_op(const Plan *p, Json v)
{
    const char *what = json_string(v);
    for (int i = 0; i < p->graph->ops.n; ++i)
        if (plan_is_planned(&p->graph->ops.at[i]) && str_equal(p->graph->ops.at[i].what, what))
            return i;
    error_at(json_loc(v), ERR_PLAN_FILE, "the model has no op \"%s\"", what);
}

static int find_weight(const Plan *p, Json v)
{
    const char *name = json_string(v);
    for (int i = 0; i < p->graph->tensors.n; ++i)
        if (p->graph->tensors.at[i].kind == TENSOR_WEIGHT && str_equal(p->graph->tensors.at[i].name, name))
            return i;
    error_at(json_loc(v), ERR_PLAN_FILE, "the model has no weight \"%s\"", name);
}

static int named(Json object, const char *key, int (*find)(const char *), const char *want)
{
    const int found = find(want_str(object, key));
    if (found < 0)
        error_at(json_loc(json_get(object, key)), ERR_PLAN_FILE, "%s is \"%s\": must be one of %s", key,
                 want_str(object, key), want);
    return found;
}

static int64_t bytes_of(Json object, const char *key)
{
    return want_int(object, key, 0, MOST_BYTES);
}

static int int_of(Json object, const char *key)
{
    return (int)want_int(object, key, 0, MOST);
}

static bool is_word_of(const char *words, const char *word)
{
    const size_t bytes = strlen(word);
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == bytes && memcmp(at, word, bytes) == 0)
            return true;
    return false;
}

// A key that the reader does not know would be lost in silence.
static void refuse_others(Json object, const char *known)
{
    for (Json v = json_first(object); v.node; v = json_next(v))
        if (!is_word_of(known, json_key(v)))
            error_at(json_key_loc(v), ERR_PLAN_FILE, "unknown key \"%s\"", json_key(v));
}

static void read_pair(Json object, const char *key, int *a, int *b)
{
    const Json pair = want_array(object, key);
    if (json_count(pair) != 2)
        error_at(json_loc(pair), ERR_PLAN_FILE, "%s has two numbers", key);
    *a = (int)json_int(json_first(pair), 0, MOST_ROWS);
    *b = (int)json_int(json_next(json_first(pair)), 0, MOST_ROWS);
}

static Matrix read_matrix(Plan *p, Json v)
{
    refuse_others(v, "tensor format layout version layers rows cols unit slice_cols base stride layer_stride bytes scale_bytes slices deal stack weave");
    Matrix m = { .tensor = find_weight(p, json_want(v, "tensor")),
                 .format = format_find(want_str(v, "format")),
                 .layout = (Layout)named(v, "layout", layout_find, "rows lanes fragments"),
                 .layout_version = int_of(v, "version"), .layers = int_of(v, "layers"), .rows = int_of(v, "rows"),
                 .cols = int_of(v, "cols"), .slice_cols = int_of(v, "slice_cols"), .base = bytes_of(v, "base"),
                 .stride = bytes_of(v, "stride"), .layer_stride = bytes_of(v, "layer_stride"), .bytes = bytes_of(v, "bytes"),
                 .scale_bytes = int_of(v, "scale_bytes") };
    if (!m.format || !m.format->dot8)
        error_at(json_loc(json_get(v, "format")), ERR_PLAN_FILE, "format is \"%s\": must be BF16 or F16", want_str(v, "format"));
    const Json unit = want_array(v, "unit"), slices = want_array(v, "slices");
    if (json_count(unit) != 2 || json_count(slices) < 2)
        error_at(json_loc(json_count(unit) != 2 ? unit : slices), ERR_PLAN_FILE, "unit has two numbers, slices two or more");
    m.unit_rows = (int)json_int(json_first(unit), 1, MOST);
    m.unit_cols = (int)json_int(json_next(json_first(unit)), 1, MOST);
    int *first = arena_alloc(p->arena, (size_t)json_count(slices) * sizeof *first);
    for (Json s = json_first(slices); s.node; s = json_next(s))
        first[m.slices++] = (int)json_int(s, 0, MOST);
    m.slices -= 1;
    m.slice_first = first;
    if (m.layout == LAYOUT_FRAGMENTS) {
        m.deal = (int)want_int(v, "deal", 1, 4096);
        read_pair(v, "stack", &m.stack_row, &m.stack_rows);
        read_pair(v, "weave", &m.thread, &m.weave);
    }
    // The plan, not the checkpoint, says how a matrix is stored; every layer's is stored alike.
    const char *role = p->graph->tensors.at[m.tensor].role;
    for (int i = 0; i < p->graph->tensors.n; ++i)
        if (str_equal(p->graph->tensors.at[i].role, role) && p->graph->tensors.at[i].kind == TENSOR_WEIGHT)
            p->graph->tensors.at[i].format = m.format;
    return m;
}

static Tiling read_tiling(Json v)
{
    refuse_others(v, "granule rows unroll splits heads lanes chunk streams tile");
    return (Tiling){ .granule = int_of(v, "granule"), .rows = int_of(v, "rows"), .unroll = int_of(v, "unroll"),
                     .splits = int_of(v, "splits"), .heads = int_of(v, "heads"), .lanes = int_of(v, "lanes"),
                     .chunk = int_of(v, "chunk"), .streams = int_of(v, "streams"), .tile = int_of(v, "tile") };
}

// Names go into the rendered text, so they are identifiers.
static const char *identifier(Json object, const char *key)
{
    const char *s = want_str(object, key);
    const size_t good = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (s[good] || !*s || (*s >= '0' && *s <= '9') || good > 31)
        error_at(json_loc(json_get(object, key)), ERR_PLAN_FILE, "%s is \"%s\": must be an identifier of at most 31 letters", key, s);
    return s;
}

// The model's name becomes a file's name and stands in a comment of the rendered text.
static const char *plain_name(Json object, const char *key)
{
    const char *s = want_str(object, key);
    const size_t good = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-");
    if (s[good] || !*s || *s == '.' || *s == '-' || good > 255)
        error_at(json_loc(json_get(object, key)), ERR_PLAN_FILE,
                 "%s is \"%s\": must be a file's name of letters, digits, '-', '.' and '_'", key, s);
    return s;
}

static void read_kernels(Plan *p, Schedule *s, Json list)
{
    for (Json v = json_first(list); v.node; v = json_next(v)) {
        refuse_others(v, "name op kind tiling");
        const Kernel k = { identifier(v, "name"), find_op(p, json_want(v, "op")), kernel_by_name(want_str(v, "kind")),
                           read_tiling(want_object(v, "tiling")) };
        if (!k.kind || k.kind->op != p->graph->ops.at[k.op].kind)
            error_at(json_loc(json_get(v, "kind")), ERR_PLAN_FILE, "kind is \"%s\": not a kernel for this op", want_str(v, "kind"));
        if (plan_kernel(s, k.op))
            error_at(json_loc(v), ERR_PLAN_FILE, "the op has a kernel already");
        vec_push(p->arena, &s->kernels, k);
    }
}

static void read_buffers(Plan *p, Schedule *s, Json list)
{
    for (Json v = json_first(list); v.node; v = json_next(v)) {
        refuse_others(v, "name space at bytes waves");
        const char *space = want_str(v, "space");
        const Json waves = want_array(v, "waves");
        if ((!str_equal(space, "shared") && !str_equal(space, "global")) || json_count(waves) != 2)
            error_at(json_loc(v), ERR_PLAN_FILE, "a buffer's space is shared or global, its waves are two numbers");
        const Buffer b = { .name = want_str(v, "name"), .space = str_equal(space, "shared") ? SPACE_SHARED : SPACE_GLOBAL,
                           .at = bytes_of(v, "at"), .bytes = bytes_of(v, "bytes"),
                           .first_wave = (int)json_int(json_first(waves), 0, MOST),
                           .last_wave = (int)json_int(json_next(json_first(waves)), 0, MOST) };
        if (plan_buffer(s, b.name))
            error_at(json_loc(v), ERR_PLAN_FILE, "the buffer \"%s\" stands twice", b.name);
        vec_push(p->arena, &s->buffers, b);
    }
}

static void read_waves(Plan *p, Schedule *s, Json v)
{
    const Json waves = want_array(v, "waves"), repeats = want_array(v, "repeats");
    for (Json w = json_first(waves); w.node; w = json_next(w)) {
        refuse_others(w, s->feed == FEED_BULK ? "op smem_bytes sync scope window wide" : "op smem_bytes sync scope");
        Wave wave = { .what = want_str(w, "op"), .op = find_op(p, json_want(w, "op")), .smem_bytes = int_of(w, "smem_bytes"),
                      .sync = (Sync)named(w, "sync", sync_find, "barrier packets") };
        wave.window = s->feed == FEED_BULK ? int_of(w, "window") : 0;
        wave.wide = s->feed == FEED_BULK ? int_of(w, "wide") : 0;
        const char *scope = want_str(w, "scope");
        if (!str_equal(scope, "gpu") && !str_equal(scope, "system"))
            error_at(json_loc(json_get(w, "scope")), ERR_PLAN_FILE, "scope is \"%s\": must be gpu or system", scope);
        wave.scope = str_equal(scope, "system") ? SCOPE_SYSTEM : SCOPE_GPU;
        if (!plan_kernel(s, wave.op))
            error_at(json_loc(w), ERR_PLAN_FILE, "no kernel is given for the op of this wave");
        vec_push(p->arena, &s->waves, wave);
    }
    for (Json r = json_first(repeats); r.node; r = json_next(r)) {
        refuse_others(r, "first_wave waves first_layer layers class");
        const Repeat repeat = { int_of(r, "first_wave"), int_of(r, "waves"), int_of(r, "first_layer"), int_of(r, "layers"),
                                int_of(r, "class") };
        vec_push(p->arena, &s->repeats, repeat);
    }
}

// Tasks lie in the order of their waves; a wave's are one run of them.
static void read_tasks(Plan *p, Schedule *s, Json list)
{
    int wave = 0;
    for (Json v = json_first(list); v.node; v = json_next(v)) {
        refuse_others(v, "wave op worker row rows part parts");
        const Task t = { .op = find_op(p, json_want(v, "op")), .wave = int_of(v, "wave"), .worker = int_of(v, "worker"),
                         .row = (int)want_int(v, "row", 0, MOST_ROWS), .rows = (int)want_int(v, "rows", 0, MOST_ROWS),
                         .part = int_of(v, "part"), .parts = int_of(v, "parts") };
        if (t.wave < wave || t.wave >= s->waves.n || s->waves.at[t.wave].op != t.op)
            error_at(json_loc(v), ERR_PLAN_FILE, "a task of op \"%s\" cannot stand in wave %d here", want_str(v, "op"), t.wave);
        wave = t.wave;
        if (!s->waves.at[wave].tasks++)
            s->waves.at[wave].first_task = s->tasks.n;
        vec_push(p->arena, &s->tasks, t);
    }
}

static void read_schedule(Plan *p, Json v)
{
    refuse_others(v, "name phase positions contexts workers warps registers parts sync feed stages window kernels buffers waves "
                     "repeats tasks");
    const Json contexts = want_array(v, "contexts");
    if (!str_equal(want_str(v, "phase"), "decode") || json_count(contexts) != 2)
        error_at(json_loc(v), ERR_PLAN_FILE, "a schedule's phase is decode, its contexts are two numbers");
    Schedule s = { .name = identifier(v, "name"), .positions = (int)want_int(v, "positions", 1, 1),
                   .ctx_min = (int)json_int(json_first(contexts), 1, MOST),
                   .ctx_max = (int)json_int(json_next(json_first(contexts)), 1, MOST),
                   .workers = (int)want_int(v, "workers", 1, 4096), .warps = (int)want_int(v, "warps", 1, 32),
                   .regs = (int)want_int(v, "registers", 1, 255), .parts = (int)want_int(v, "parts", 1, 4096),
                   .sync = (Sync)named(v, "sync", sync_find, "barrier packets"),
                   .feed = (Feed)named(v, "feed", feed_find, "plain async bulk"), .stages = int_of(v, "stages"),
                   .window = int_of(v, "window") };
    read_kernels(p, &s, want_array(v, "kernels"));
    read_buffers(p, &s, want_array(v, "buffers"));
    read_waves(p, &s, v);
    read_tasks(p, &s, want_array(v, "tasks"));
    vec_push(p->arena, &p->schedules, s);
}

static void read_cache(Plan *p, Json v)
{
    refuse_others(v, "k v row_bytes tile_tokens swizzle head_stride v_offset layer_stride bytes");
    p->kv = (KvMap){ .k = (KvType)named(v, "k", kv_find, "f16 bf16 f32"), .v = (KvType)named(v, "v", kv_find, "f16 bf16 f32"),
                     .row_bytes = int_of(v, "row_bytes"), .tile_tokens = int_of(v, "tile_tokens"),
                     .head_stride = bytes_of(v, "head_stride"), .v_offset = bytes_of(v, "v_offset"),
                     .layer_stride = bytes_of(v, "layer_stride"), .bytes = bytes_of(v, "bytes") };
    const char *swizzle = want_str(v, "swizzle");
    p->kv.swizzle = str_equal(swizzle, "xor") ? SWIZZLE_XOR : SWIZZLE_NONE;
    if (!str_equal(swizzle, "none") && !str_equal(swizzle, "xor"))
        error_at(json_loc(json_get(v, "swizzle")), ERR_PLAN_FILE, "swizzle is \"%s\": must be none or xor", swizzle);
}

static uint64_t read_fingerprint(Json object, const char *key)
{
    const char *s = want_str(object, key);
    if (strlen(s) != 16 || strspn(s, "0123456789abcdef") != 16)
        error_at(json_loc(json_get(object, key)), ERR_PLAN_FILE, "%s is \"%s\": must be 16 hexadecimal digits", key, s);
    return strtoull(s, NULL, 16);
}

static void read_weights(Plan *p, Json v)
{
    for (Json m = json_first(want_array(v, "matrices")); m.node; m = json_next(m)) {
        const Matrix matrix = read_matrix(p, m);
        if (plan_matrix(p, matrix.tensor))
            error_at(json_loc(m), ERR_PLAN_FILE, "the matrix stands twice");
        vec_push(p->arena, &p->matrices, matrix);
    }
    for (Json n = json_first(want_array(v, "norms")); n.node; n = json_next(n)) {
        refuse_others(n, "tensor layers cols base layer_stride");
        const NormMap norm = { find_weight(p, json_want(n, "tensor")), bytes_of(n, "base"), bytes_of(n, "layer_stride"),
                               int_of(n, "layers"), int_of(n, "cols") };
        if (plan_norm(p, norm.tensor))
            error_at(json_loc(n), ERR_PLAN_FILE, "the norm stands twice");
        vec_push(p->arena, &p->norms, norm);
    }
    p->weight_bytes = bytes_of(v, "weight_bytes");
}

// The style of the first schedule decides how the graph was fused.
static bool is_split(Json plan)
{
    const Json first = json_first(want_array(plan, "schedules"));
    return first.node && sync_find(want_str(first, "sync")) == SYNC_PACKETS;
}

Plan *plan_read_json(Arena *a, const char *name, const char *text, size_t bytes)
{
    const Json v = json_parse(a, name, text, bytes, -1);
    disguise_refuse_json(v, "a plan of llmc");
    const int64_t version = want_int(v, "llmc_plan", 1, MOST);
    if (version != PLAN_JSON_VERSION)
        error_at(json_loc(json_get(v, "llmc_plan")), ERR_PLAN_FILE, "plan format %lld: this version reads %d", (long long)version,
                 PLAN_JSON_VERSION);
    refuse_others(v, "llmc_plan name model target made_for context poll_limit kv matrices norms weight_bytes state_bytes schedules");
    Model *m = model_read_json(a, want_object(v, "model"));
    m->name = plain_name(v, "name");
    m->path = name;
    Graph *g = graph_build(a, m);
    graph_fuse(g, !is_split(v));
    Plan *p = arena_alloc(a, sizeof *p);
    *p = (Plan){ .arena = a, .model = m, .target = target_read_json(a, want_object(v, "target")), .graph = g };
    const Json made_for = want_object(v, "made_for");
    p->model_fingerprint = read_fingerprint(made_for, "model");
    p->target_fingerprint = read_fingerprint(made_for, "target");
    p->ctx = (int)want_int(v, "context", 1, MOST);
    p->poll_limit = (int)want_int(v, "poll_limit", PLAN_POLL_LEAST, MOST);
    read_cache(p, want_object(v, "kv"));
    read_weights(p, v);
    p->state_bytes = bytes_of(v, "state_bytes");
    for (Json s = json_first(want_array(v, "schedules")); s.node; s = json_next(s))
        read_schedule(p, s);
    if (!p->schedules.n)
        error_at(json_loc(json_get(v, "schedules")), ERR_PLAN_FILE, "a plan has one schedule or more");
    plan_count_weights(p);
    plan_cost(p);
    plan_finish(p);
    return p;
}
