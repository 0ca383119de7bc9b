// rope.c: how positions turn heads: rope_theta, rope_scaling and rope_parameters of a config; the frequencies.
//
// Checkpoints describe rope in three ways: rope_theta alone; rope_theta and rope_scaling, whose type key is `type` in
// the oldest ones; rope_parameters, which holds everything (transformers 5). All that are present must say the same.
#include "parts.h"

#include <math.h>

enum { KEYS = 4 };

typedef struct RopeKind {
    const char *name;
    RopeType type;
    const char *keys[KEYS]; // all required, none other allowed
} RopeKind;

static const RopeKind kinds[] = {
    { "default", ROPE_DEFAULT, { NULL } },
    { "linear", ROPE_LINEAR, { "factor" } },
    { "llama3", ROPE_LLAMA3, { "factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings" } },
};

static bool takes(const RopeKind *kind, const char *key)
{
    for (int i = 0; i < KEYS && kind->keys[i]; ++i)
        if (str_equal(kind->keys[i], key))
            return true;
    return false;
}

static _Noreturn void refuse_type(Json type, const char *object)
{
    Loc at = loc_hint(json_loc(type), "supported: default linear llama3");
    at.below = "note: `llmc explain E0412` says what each needs\n";
    error_at(at, ERR_ROPE_TYPE, "unknown %s type \"%s\"", object, json_string(type));
}

// Only rope_parameters may leave the type out: transformers then takes "default".
static const RopeKind *kind_of(Json object, const char *name, bool may_lack_type)
{
    const Json type = json_get(object, "rope_type"), older = json_get(object, "type");
    if (type.node && older.node && !str_equal(json_string(type), json_string(older)))
        error_at(json_loc(older), ERR_ROPE_TWICE, "%s has rope_type \"%s\" and type \"%s\"", name, json_string(type),
                 json_string(older));
    const Json given = type.node ? type : older;
    if (!given.node && may_lack_type)
        return &kinds[0];
    if (!given.node)
        error_at(json_loc(object), ERR_ROPE_VALUE, "%s has no rope_type", name);
    for (int i = 0; i < ARRAY_LEN(kinds); ++i)
        if (str_equal(kinds[i].name, json_string(given)))
            return &kinds[i];
    refuse_type(given, name);
}

static void check_keys(Arena *a, Json object, const char *name, const RopeKind *kind)
{
    static const char *const known[] = { "rope_type",
                                         "type",
                                         "rope_theta",
                                         "factor",
                                         "low_freq_factor",
                                         "high_freq_factor",
                                         "original_max_position_embeddings",
                                         "partial_rotary_factor" };
    Diags d = { .arena = a };
    config_refuse_unknown(object, name, known, ARRAY_LEN(known), &d);
    for (int i = 3; i < 7; ++i) {
        const Json v = json_get(object, known[i]);
        if (v.node && !takes(kind, known[i]))
            diag_add(&d, json_key_loc(v), ERR_ROPE_VALUE, "%s.%s has no meaning for rope type \"%s\"", name, known[i],
                     kind->name);
    }
    for (int i = 0; i < KEYS && kind->keys[i]; ++i)
        if (!json_get(object, kind->keys[i]).node)
            diag_add(&d, json_loc(object), ERR_ROPE_VALUE, "%s lacks %s: rope type \"%s\" needs it", name,
                     kind->keys[i], kind->name);
    diag_exit_if_any(&d);
}

static double positive(Json object, const char *name, const char *key, double least)
{
    const double v = want_double(object, key, 0, 1e9);
    if (v < least)
        error_at(json_loc(json_get(object, key)), ERR_ROPE_VALUE, "%s.%s is %g: must be at least %g", name, key, v,
                 least);
    return v;
}

static double theta_of(Json object, const char *key, double otherwise)
{
    const Json v = json_get(object, key);
    if (!v.node)
        return otherwise;
    const double theta = json_double(v, 0, 1e15);
    if (theta <= 1)
        error_at(json_loc(v), ERR_ROPE_VALUE, "%s is %g: must be over 1", key, theta);
    return theta;
}

static Rope read_rope(Arena *a, Json object, const char *name, bool may_lack_type, double theta)
{
    if (!json_is_object(object))
        error_at(json_loc(object), ERR_ROPE_VALUE, "%s must be an object or null", name);
    const RopeKind *kind = kind_of(object, name, may_lack_type);
    check_keys(a, object, name, kind);
    Rope r = { .type = kind->type, .theta = theta_of(object, "rope_theta", theta) };
    const Json part = json_get(object, "partial_rotary_factor");
    if (part.node && json_double(part, -1e300, 1e300) != 1.0)
        error_at(json_loc(part), ERR_ROPE_VALUE, "%s.partial_rotary_factor is %g: only 1 is supported", name,
                 json_double(part, -1e300, 1e300));
    if (kind->type != ROPE_DEFAULT)
        r.factor = positive(object, name, "factor", 1);
    if (kind->type != ROPE_LLAMA3)
        return r;
    r.low_freq_factor = positive(object, name, "low_freq_factor", 1e-9);
    r.high_freq_factor = positive(object, name, "high_freq_factor", 1e-9);
    if (r.high_freq_factor <= r.low_freq_factor)
        error_at(json_loc(json_get(object, "high_freq_factor")), ERR_ROPE_VALUE,
                 "%s.high_freq_factor is %g: must be over low_freq_factor (%g)", name, r.high_freq_factor,
                 r.low_freq_factor);
    r.original_max_tokens = (int)want_int(object, "original_max_position_embeddings", 1, 1 << 30);
    return r;
}

static const char *type_name(RopeType type)
{
    return type == ROPE_FACTORS ? "factors" : kinds[type].name;
}

static void want_same(Json at, const char *what, double a, double b)
{
    if (a != b)
        error_at(json_loc(at), ERR_ROPE_TWICE, "rope_parameters gives %s %.10g, rope_theta and rope_scaling give %.10g",
                 what, a, b);
}

// rope_parameters (`a`, at `at`) against rope_theta and rope_scaling (`b`).
static void refuse_difference(Json at, const Rope *a, const Rope *b)
{
    if (a->type != b->type)
        error_at(json_loc(at), ERR_ROPE_TWICE, "rope_parameters gives rope type \"%s\", rope_scaling gives \"%s\"",
                 type_name(a->type), type_name(b->type));
    want_same(at, "rope_theta", a->theta, b->theta);
    want_same(at, "factor", a->factor, b->factor);
    want_same(at, "low_freq_factor", a->low_freq_factor, b->low_freq_factor);
    want_same(at, "high_freq_factor", a->high_freq_factor, b->high_freq_factor);
    want_same(at, "original_max_position_embeddings", a->original_max_tokens, b->original_max_tokens);
}

Rope rope_of_config(Arena *a, Json config)
{
    const Json scaling = json_get(config, "rope_scaling"), parameters = json_get(config, "rope_parameters");
    const Json theta = json_get(config, "rope_theta");
    // 10000: the default of transformers' LlamaConfig.
    Rope older = { .type = ROPE_DEFAULT, .theta = theta_of(config, "rope_theta", 10000) };
    if (scaling.node) {
        const double top = older.theta;
        older = read_rope(a, scaling, "rope_scaling", false, top);
        if (theta.node && older.theta != top)
            error_at(json_loc(json_get(scaling, "rope_theta")), ERR_ROPE_TWICE,
                     "rope_scaling.rope_theta is %.10g, rope_theta is %.10g", older.theta, top);
    }
    if (!parameters.node)
        return older;
    const Rope newer = read_rope(a, parameters, "rope_parameters", true, older.theta);
    if (scaling.node)
        refuse_difference(parameters, &newer, &older);
    else if (theta.node)
        want_same(parameters, "rope_theta", newer.theta, older.theta);
    return newer;
}

// transformers' modeling_rope_utils, in double: waves longer than original / low turn `factor` times slower, waves
// shorter than original / high as they are, those between in proportion.
static double llama3(const Rope *r, double frequency)
{
    const double wave = 2 * 3.14159265358979323846 / frequency, original = r->original_max_tokens;
    if (wave < original / r->high_freq_factor)
        return frequency;
    if (wave > original / r->low_freq_factor)
        return frequency / r->factor;
    const double smooth = (original / wave - r->low_freq_factor) / (r->high_freq_factor - r->low_freq_factor);
    return (1 - smooth) * frequency / r->factor + smooth * frequency;
}

double *model_rope_frequencies(Arena *a, const Model *m)
{
    const int pairs = m->head_dim / 2;
    double *out = arena_alloc(a, (size_t)pairs * sizeof *out); // [head_dim / 2]
    for (int i = 0; i < pairs; ++i) {
        const double frequency = pow(m->rope.theta, -2.0 * i / m->head_dim);
        switch (m->rope.type) {
        case ROPE_DEFAULT:
            out[i] = frequency;
            break;
        case ROPE_LINEAR:
            out[i] = frequency / m->rope.factor;
            break;
        case ROPE_LLAMA3:
            out[i] = llama3(&m->rope, frequency);
            break;
        case ROPE_FACTORS:
            out[i] = frequency / (double)m->rope.factors[i];
            break;
        }
    }
    return out;
}
