// package_check.c: every number of a package's plan and tables is possible, so that no later step can leave its bounds.
#include "package_open.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const uint64_t most_bytes = (uint64_t)1 << 46; // sums of a few such sizes do not wrap

static RtStatus impossible(RtError *error, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static RtStatus impossible(RtError *error, const char *fmt, ...)
{
    char what[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    rt_fail(error, ERR_PACKAGE, "the package's tables are not possible: %s", what);
    rt_advise(error, "compile the model again");
    return RT_FAILED;
}

static bool ends(const char *text, size_t bytes)
{
    return memchr(text, 0, bytes) != NULL;
}

// [at, at + bytes) lies in [0, all).
static bool inside(uint64_t at, uint64_t bytes, uint64_t all)
{
    return at <= all && bytes <= all - at;
}

static uint32_t format_bytes(uint32_t format)
{
    return format == PKG_F32 ? 4 : 2;
}

static RtStatus check_dimensions(const PkgPlan *p, RtError *error)
{
    const struct {
        const char *what;
        uint32_t value, most;
    } counts[] = {
        { "layers", p->layers, 1024 },
        { "hidden", p->hidden, 1 << 20 },
        { "heads", p->heads, 4096 },
        { "kv_heads", p->kv_heads, p->heads },
        { "head_dim", p->head_dim, 256 },
        { "ffn", p->ffn, 1 << 22 },
        { "vocab", p->vocab, 1 << 24 },
        { "context", p->context, p->model_context < 1 << 24 ? p->model_context : 1 << 24 },
        { "matrices", p->matrices, 1 << 16 },
        { "norms", p->norms, 1 << 16 },
        { "schedules", p->schedules, 256 },
        { "waves", p->waves, 1 << 20 },
        { "tasks", p->tasks, 1 << 26 },
        { "sms", p->sms, 1 << 16 },
        { "model_context", p->model_context, 1 << 30 },
    };
    if (!ends(p->name, sizeof p->name) || !ends(p->target, sizeof p->target) || !ends(p->gpu, sizeof p->gpu) ||
        !ends(p->version, sizeof p->version))
        return impossible(error, "a name has no end");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        if (counts[i].value < 1 || counts[i].value > counts[i].most)
            return impossible(error, "%s is %u, not 1 to %u", counts[i].what, counts[i].value, counts[i].most);
    if (p->device > PKG_CPU || p->kv_format > PKG_F32)
        return impossible(error, "device is %u, K/V format %u", p->device, p->kv_format);
    if (p->heads % p->kv_heads || p->head_dim % 2)
        return impossible(error, "%u heads, %u K/V heads of %u", p->heads, p->kv_heads, p->head_dim);
    if (p->eos_count > REQUEST_EOS)
        return impossible(error, "%u ids end a text, at most %d may", p->eos_count, REQUEST_EOS);
    if (p->bos < -1 || (p->bos >= 0 && (uint32_t)p->bos >= p->vocab))
        return impossible(error, "bos is %d of %u ids", p->bos, p->vocab);
    if (p->weight_bytes > most_bytes || p->state_at > most_bytes || p->state_bytes > most_bytes)
        return impossible(error, "%llu bytes of weights, %llu of state", (unsigned long long)p->weight_bytes,
                          (unsigned long long)p->state_bytes);
    if (p->state_at < p->weight_bytes || p->state_at % 16)
        return impossible(error, "state at %llu behind %llu bytes of weights", (unsigned long long)p->state_at,
                          (unsigned long long)p->weight_bytes);
    return RT_OK;
}

static RtStatus check_memory(const Package *package, RtError *error)
{
    const PkgPlan *p = package->plan;
    uint64_t keys = 0;
    for (uint32_t i = 0; i < p->matrices; ++i)
        keys += package->matrices[i].layers;
    for (uint32_t i = 0; i < p->norms; ++i)
        keys += package->norms[i].layers;
    const struct {
        const char *what;
        uint64_t at, bytes;
    } ranges[] = {
        { "request", p->request_at, sizeof(Request) },
        { "logits", p->logits_at, (uint64_t)p->vocab * sizeof(float) },
        { "rope", p->rope_at, (uint64_t)p->context * p->head_dim / 2 * 2 * sizeof(float) },
        { "K/V cache", p->kv_at, p->kv_bytes },
        { "keys", p->keys_at, keys * sizeof(uint64_t) },
        { "check", p->check_at, 0 },
        { "selectable ids", p->selectable_at, ((uint64_t)p->vocab + 7) / 8 },
        { "bias", p->bias_at, (uint64_t)p->vocab * sizeof(float) },
        { "history", p->history_at, (uint64_t)p->context * sizeof(uint32_t) },
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i)
        if (ranges[i].at % 8 || !inside(ranges[i].at, ranges[i].bytes, p->state_bytes))
            return impossible(error, "%s at %llu of %llu bytes of state", ranges[i].what,
                              (unsigned long long)ranges[i].at, (unsigned long long)p->state_bytes);
    if (p->kv_bytes < 2 * (uint64_t)p->layers * p->kv_heads * p->context * p->head_dim * format_bytes(p->kv_format) ||
        p->kv_row_bytes < p->head_dim * format_bytes(p->kv_format) || p->kv_row_bytes > p->kv_bytes)
        return impossible(error, "a K/V cache of %llu bytes", (unsigned long long)p->kv_bytes);
    return RT_OK;
}

// The units of a stack that a matrix's rows are in lie in its bytes.
static RtStatus check_fragments(const PkgMatrix *m, RtError *error)
{
    const uint64_t units = ((uint64_t)m->stack_rows + 7) / 8;
    if (m->format == PKG_F32 || m->cols % 32 || m->deal < 1 || m->deal > 4096 || m->weave < 1 || m->weave > 2 ||
        m->thread >= m->weave || m->stack_rows > 1u << 26 ||
        m->stack_row + ((uint64_t)m->rows - 1) * m->weave + m->thread >= m->stack_rows)
        return impossible(error, "%s: rows of a stack of %u", m->tensor, m->stack_rows);
    if (units * m->cols * 16 > m->bytes)
        return impossible(error, "%s needs more than its %llu bytes", m->tensor, (unsigned long long)m->bytes);
    return RT_OK;
}

// The columns of the slices follow each other, and what the layout addresses lies in the matrix's bytes.
static RtStatus check_slices(const Package *package, const PkgMatrix *m, RtError *error)
{
    if (m->first_slice > package->n_ints || m->slices >= package->n_ints - m->first_slice)
        return impossible(error, "slices of %s", m->tensor);
    const uint32_t *first = package->ints + m->first_slice;
    if (first[0] != 0 || first[m->slices] != m->cols)
        return impossible(error, "slices of %s do not cover its %u columns", m->tensor, m->cols);
    for (uint32_t s = 0; s < m->slices; ++s)
        if (first[s + 1] - first[s] > m->slice_cols)
            return impossible(error, "slice %u of %s", s, m->tensor);
    if (m->layout == PKG_LAYOUT_FRAGMENTS)
        return check_fragments(m, error);
    const uint64_t element = format_bytes(m->format);
    uint64_t last; // bytes of the last slice
    if (m->layout == PKG_LAYOUT_ROWS) {
        if (m->slices != 1)
            return impossible(error, "%s lies in rows, in %u slices", m->tensor, m->slices);
        last = (uint64_t)m->rows * m->slice_cols * element;
    } else {
        if (m->format == PKG_F32 || m->slice_cols % 8)
            return impossible(error, "%s lies in lanes, in slices of %u columns", m->tensor, m->slice_cols);
        last = ((uint64_t)m->rows + 31) / 32 * 32 * m->slice_cols * element;
    }
    if (m->slices > 1 && m->stride > most_bytes / m->slices)
        return impossible(error, "slices of %s lie %llu bytes apart", m->tensor, (unsigned long long)m->stride);
    if (!inside((uint64_t)(m->slices - 1) * m->stride, last, m->bytes))
        return impossible(error, "%s needs more than its %llu bytes", m->tensor, (unsigned long long)m->bytes);
    return RT_OK;
}

typedef struct Shape {
    uint32_t rows, cols, layers;
} Shape;

static Shape role_shape(const PkgPlan *p, uint32_t role)
{
    const uint32_t q_rows = p->heads * p->head_dim, kv_rows = p->kv_heads * p->head_dim;
    switch (role) {
    case PKG_EMBED:
    case PKG_HEAD:
        return (Shape){ p->vocab, p->hidden, 1 };
    case PKG_Q:
        return (Shape){ q_rows, p->hidden, p->layers };
    case PKG_K:
    case PKG_V:
        return (Shape){ kv_rows, p->hidden, p->layers };
    case PKG_O:
        return (Shape){ p->hidden, q_rows, p->layers };
    case PKG_GATE:
    case PKG_UP:
        return (Shape){ p->ffn, p->hidden, p->layers };
    case PKG_DOWN:
        return (Shape){ p->hidden, p->ffn, p->layers };
    default:
        return (Shape){ 1, p->hidden, role == PKG_NORM_FINAL ? 1 : p->layers };
    }
}

static RtStatus check_matrix(const Package *package, const PkgMatrix *m, RtError *error)
{
    const PkgPlan *p = package->plan;
    if (!ends(m->tensor, sizeof m->tensor))
        return impossible(error, "a tensor's name has no end");
    if (m->role > PKG_HEAD || m->format > PKG_F32 || m->layout > PKG_LAYOUT_FRAGMENTS)
        return impossible(error, "%s has role %u, format %u, layout %u", m->tensor, m->role, m->format, m->layout);
    const Shape shape = role_shape(p, m->role);
    if (m->layers != shape.layers || m->rows != shape.rows || m->cols != shape.cols || m->slices < 1 ||
        m->slices > 1 << 16 || m->slice_cols < 1 || m->slice_cols > 1 << 22)
        return impossible(error, "%s: %u x %u in %u slices, %u layers", m->tensor, m->rows, m->cols, m->slices,
                          m->layers);
    if (m->base > p->weight_bytes || m->layer_stride > p->weight_bytes || m->base % 2 ||
        !inside(m->base + (m->layers - 1) * m->layer_stride, m->bytes, p->weight_bytes))
        return impossible(error, "%s lies outside the weights", m->tensor);
    return check_slices(package, m, error);
}

static RtStatus check_norm(const PkgPlan *p, const PkgNorm *n, RtError *error)
{
    if (!ends(n->tensor, sizeof n->tensor))
        return impossible(error, "a tensor's name has no end");
    const Shape shape = role_shape(p, n->role);
    if (n->role < PKG_NORM_ATTENTION || n->role > PKG_NORM_FINAL || n->layers != shape.layers || n->cols != shape.cols)
        return impossible(error, "%s: role %u, %u values, %u layers", n->tensor, n->role, n->cols, n->layers);
    if (n->base % 4 || n->layer_stride % 4 || n->base > p->weight_bytes || n->layer_stride > p->weight_bytes ||
        !inside(n->base + (n->layers - 1) * n->layer_stride, n->cols * sizeof(float), p->weight_bytes))
        return impossible(error, "%s lies outside the weights", n->tensor);
    return RT_OK;
}

static RtStatus check_roles(const Package *package, RtError *error)
{
    const PkgPlan *p = package->plan;
    uint32_t present = p->tied_embedding ? 1u << PKG_HEAD : 0;
    for (uint32_t i = 0; i < p->matrices; ++i)
        present |= 1u << package->matrices[i].role;
    for (uint32_t i = 0; i < p->norms; ++i)
        present |= 1u << package->norms[i].role;
    if (present != (2u << PKG_NORM_FINAL) - 1)
        return impossible(error, "a weight of the model is not in them (roles %x)", present);
    return RT_OK;
}

// The order of sums, as runtime/reference follows it.
static RtStatus check_order(const PkgPlan *p, const PkgSchedule *s, uint32_t index, RtError *error)
{
    const uint32_t lanes = s->attend_lanes, a_warp = lanes && lanes <= 32 ? 32 / lanes : 1;
    if (lanes < 1 || lanes > 32 || (lanes & (lanes - 1)) || lanes * 8 < p->head_dim || s->attend_chunk < 1 ||
        s->attend_chunk > 8 || s->attend_streams < a_warp || s->attend_streams % a_warp ||
        s->attend_streams / a_warp > 32 || s->attend_tile != s->attend_streams * s->attend_chunk)
        return impossible(error, "schedule %u attends with %u lanes, chunks of %u, %u streams, tiles of %u", index,
                          lanes, s->attend_chunk, s->attend_streams, s->attend_tile);
    if (s->parts < 1 || s->parts > 4096 || s->reduce_splits < 1 || s->reduce_splits > 1024 || s->threads % 32)
        return impossible(error, "schedule %u has %u parts, %u splits, %u threads", index, s->parts, s->reduce_splits,
                          s->threads);
    return RT_OK;
}

// Schedules follow each other from context 1 to the compiled one: each context has exactly one.
static RtStatus check_schedule(const Package *package, uint32_t index, RtError *error)
{
    const PkgPlan *p = package->plan;
    const PkgSchedule *s = &package->schedules[index];
    const uint32_t from = index ? package->schedules[index - 1].ctx_max + 1 : 1;
    if (!ends(s->name, sizeof s->name) || !s->name[0])
        return impossible(error, "the name of schedule %u has no end", index);
    if (s->ctx_min != from || s->ctx_max < from || s->ctx_max > p->context ||
        (index + 1 == p->schedules && s->ctx_max != p->context))
        return impossible(error, "schedule %u is for contexts %u to %u", index, s->ctx_min, s->ctx_max);
    if (s->workers < 1 || s->workers > 65535 || s->threads < 1 || s->threads > 1024 || s->smem_bytes > 1 << 20)
        return impossible(error, "schedule %u has %u workers of %u threads", index, s->workers, s->threads);
    if (!inside(s->first_wave, s->waves, p->waves) || !inside(s->first_task, s->tasks, p->tasks) || s->waves < 1)
        return impossible(error, "waves of schedule %u", index);
    if (!inside(s->repeat_first, s->repeat_waves, s->waves) || s->repeat_waves < 1 ||
        s->token_waves != s->waves + (p->layers - 1) * s->repeat_waves)
        return impossible(error, "schedule %u repeats %u of %u waves, in all %u", index, s->repeat_waves, s->waves,
                          s->token_waves);
    for (uint32_t i = s->first_task; i < s->first_task + s->tasks; ++i)
        if (package->tasks[i].worker >= s->workers)
            return impossible(error, "task %u of schedule %u belongs to worker %u of %u", i - s->first_task, index,
                              package->tasks[i].worker, s->workers);
    return check_order(p, s, index, error);
}

// Every stamp that a kernel writes and the runtime reads lies in the trace, and the trace in the state.
static RtStatus check_trace(const Package *p, RtError *error)
{
    const PkgTrace *t = p->trace;
    if (!t)
        return RT_OK;
    for (uint32_t i = 0; i < p->plan->schedules; ++i)
        if (p->schedules[i].workers > t->workers || p->schedules[i].token_waves > t->waves)
            return impossible(error, "schedule %u has more waves than the trace", i);
    if (t->workers > 65535 || t->waves > 65535 || t->at % 16 || t->stamps_at % 16 || !inside(t->at, t->bytes, p->plan->state_bytes) ||
        !inside(t->stamps_at, (uint64_t)REQUEST_TOKENS * t->workers * t->waves * sizeof(TraceStamp), t->at + t->bytes) ||
        !inside(t->at, t->workers * sizeof(uint64_t), t->stamps_at))
        return impossible(error, "a trace at %llu of %llu bytes of state", (unsigned long long)t->at,
                          (unsigned long long)p->plan->state_bytes);
    return RT_OK;
}

RtStatus package_check(const Package *p, RtError *error)
{
    if (check_dimensions(p->plan, error) != RT_OK)
        return RT_FAILED;
    if (!p->image.bytes)
        return impossible(error, "no code");
    for (uint32_t i = 0; i < p->plan->matrices; ++i)
        if (check_matrix(p, &p->matrices[i], error) != RT_OK)
            return RT_FAILED;
    for (uint32_t i = 0; i < p->plan->norms; ++i)
        if (check_norm(p->plan, &p->norms[i], error) != RT_OK)
            return RT_FAILED;
    if (check_roles(p, error) != RT_OK || check_memory(p, error) != RT_OK)
        return RT_FAILED;
    for (uint32_t i = 0; i < p->plan->schedules; ++i)
        if (check_schedule(p, i, error) != RT_OK)
            return RT_FAILED;
    if (check_trace(p, error) != RT_OK)
        return RT_FAILED;
    for (uint32_t i = 0; i < p->plan->waves; ++i)
        if (!ends(p->waves[i].what, sizeof p->waves[i].what) || p->waves[i].op > PKG_OP_GATED)
            return impossible(error, "wave %u", i);
    return RT_OK;
}
