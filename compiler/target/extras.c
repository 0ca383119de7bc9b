// extras.c: facts that only predictions use and that need not be known: curves and latencies, as `llmc probe` measures them.
#include "target.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct Extra {
    const char *name;
    bool curve;
    size_t at;
    double low, high, x_high; // of the figure; of a curve's x, which begins at 0
} Extra;

// clang-format off
static const Extra extras[TARGET_EXTRAS] = {
    { "rate_by_sms",     true,  offsetof(Target, rate_by_sms),     0.01, 1e5, 1024 },
    { "barrier_by_kib",  true,  offsetof(Target, barrier_by_kib),  0.01, 1e4, 1024 },
    { "exchange_by_kib", true,  offsetof(Target, exchange_by_kib), 0.01, 1e4, 1024 },
    { "hop_by_kib",      true,  offsetof(Target, hop_by_kib),      0.01, 1e4, 1024 },
    { "launch_us",       false, offsetof(Target, launch_us),       0.1,  1e5, 0    },
    { "dram_latency_ns", false, offsetof(Target, dram_latency_ns), 10,   1e5, 0    },
};
// clang-format on

const char *target_extra_name(int extra)
{
    return extras[extra].name;
}

int target_extra(const char *name)
{
    for (int i = 0; i < TARGET_EXTRAS; ++i)
        if (str_equal(extras[i].name, name))
            return i;
    return -1;
}

double target_curve(const Curve *c, double x)
{
    int i = 1;
    if (c->n == 1 || x <= c->x[0])
        return c->y[0];
    while (i < c->n - 1 && c->x[i] < x)
        ++i;
    if (x >= c->x[i])
        return c->y[i];
    const double part = (x - c->x[i - 1]) / (c->x[i] - c->x[i - 1]);
    return c->y[i - 1] + part * (c->y[i] - c->y[i - 1]);
}

// ---- target files -------------------------------------------------------------------------------------------------

static void read_curve(const Extra *e, Json value, Curve *c)
{
    *c = (Curve){ 0 };
    if (!json_is_array(value) || !json_count(value) || json_count(value) > TARGET_POINTS)
        error_at(json_loc(value), ERR_TARGET, "%s: must be a list of 1 to %d pairs [x, y]", json_path(value) + 2,
                 TARGET_POINTS);
    for (Json pair = json_first(value); pair.node; pair = json_next(pair), ++c->n) {
        if (!json_is_array(pair) || json_count(pair) != 2)
            error_at(json_loc(pair), ERR_TARGET, "%s: must be a pair [x, y]", json_path(pair) + 2);
        const Json x = json_first(pair);
        c->x[c->n] = json_double(x, 0, e->x_high);
        c->y[c->n] = json_double(json_next(x), e->low, e->high);
        if (c->n && c->x[c->n] <= c->x[c->n - 1])
            error_at(json_loc(x), ERR_TARGET, "%s is %g behind %g: must ascend", json_path(x) + 2, c->x[c->n],
                     c->x[c->n - 1]);
    }
}

void target_read_extra(Target *t, int extra, Json value)
{
    const Extra *e = &extras[extra];
    void *at = (char *)t + e->at;
    if (e->curve)
        read_curve(e, value, at);
    else
        *(double *)at = json_double(value, e->low, e->high);
}

void target_take_extras(Target *t, const Target *from)
{
    for (int i = 0; i < TARGET_EXTRAS; ++i) {
        memcpy((char *)t + extras[i].at, (const char *)from + extras[i].at, extras[i].curve ? sizeof(Curve) : sizeof(double));
        t->extra_from[i] = from->extra_from[i];
        t->extra_source[i] = from->extra_source[i];
    }
}

const char *target_extra_text(Arena *a, const Target *t, int extra)
{
    const Extra *e = &extras[extra];
    const void *at = (const char *)t + e->at;
    Str out = str_new(a);
    if (!e->curve)
        return str_format(a, "%.6g", *(const double *)at);
    const Curve *c = at;
    for (int i = 0; i < c->n; ++i)
        str_add(&out, "%s[%.6g, %.6g]", i ? ", " : "[", c->x[i], c->y[i]);
    str_add(&out, "]");
    return out.text;
}
