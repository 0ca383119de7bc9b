// tables.c: plan records -> the fixed-width records of runtime/package.h.
#include "tables.h"

#include "../base/diag.h"

#include <stdio.h>
#include <string.h>

typedef struct RoleName {
    const char *role;
    uint32_t number;
} RoleName;

static const RoleName roles[] = {
    { "embed_tokens", PKG_EMBED }, { "q_proj", PKG_Q },     { "k_proj", PKG_K },
    { "v_proj", PKG_V },           { "o_proj", PKG_O },     { "gate_proj", PKG_GATE },
    { "up_proj", PKG_UP },         { "down_proj", PKG_DOWN }, { "lm_head", PKG_HEAD },
    { "input_norm", PKG_NORM_ATTENTION }, { "ffn_norm", PKG_NORM_FFN }, { "final_norm", PKG_NORM_FINAL },
};

static uint32_t role_of(const Tensor *t)
{
    for (int i = 0; i < ARRAY_LEN(roles); ++i)
        if (str_equal(roles[i].role, t->role))
            return roles[i].number;
    error_at(NOWHERE, ERR_INTERNAL, "weight %s has no role in a package", t->name);
}

static void copy_name(char *to, size_t room, const char *from)
{
    snprintf(to, room, "%s", from);
}

// "model.layers.0.mlp.up_proj.weight" -> "model.layers.%d.mlp.up_proj.weight".
static void copy_tensor(char *to, size_t room, const Tensor *t)
{
    const char *zero = t->layer < 0 ? NULL : strstr(t->name, ".0.");
    if (zero)
        snprintf(to, room, "%.*s.%%d%s", (int)(zero - t->name), t->name, zero + 2);
    else
        copy_name(to, room, t->name);
}

static uint32_t format_number(const Format *f)
{
    return str_equal(f->name, "F16") ? PKG_F16 : str_equal(f->name, "BF16") ? PKG_BF16 : PKG_F32;
}

static void fill_weights(Arena *a, const Plan *p, PkgTables *t)
{
    static const uint32_t layouts[] = { [LAYOUT_ROWS] = PKG_LAYOUT_ROWS, [LAYOUT_LANES] = PKG_LAYOUT_LANES,
                                        [LAYOUT_FRAGMENTS] = PKG_LAYOUT_FRAGMENTS };
    int ints = 0;
    t->matrices = arena_alloc(a, (size_t)p->matrices.n * sizeof *t->matrices);
    t->norms = arena_alloc(a, (size_t)p->norms.n * sizeof *t->norms);
    for (int i = 0; i < p->matrices.n; ++i)
        ints += p->matrices.at[i].slices + 1;
    t->ints = arena_alloc(a, (size_t)ints * sizeof *t->ints);
    for (int i = 0; i < p->matrices.n; ++i) {
        const Matrix *m = &p->matrices.at[i];
        const Tensor *tensor = &p->graph->tensors.at[m->tensor];
        t->matrices[i] = (PkgMatrix){ .role = role_of(tensor), .format = format_number(m->format),
                                      .layout = layouts[m->layout],
                                      .layers = (uint32_t)m->layers, .rows = (uint32_t)m->rows, .cols = (uint32_t)m->cols,
                                      .slices = (uint32_t)m->slices, .slice_cols = (uint32_t)m->slice_cols,
                                      .first_slice = (uint32_t)t->n_ints, .base = (uint64_t)m->base,
                                      .stride = (uint64_t)m->stride, .layer_stride = (uint64_t)m->layer_stride,
                                      .bytes = (uint64_t)m->bytes, .deal = (uint32_t)m->deal,
                                      .stack_row = (uint32_t)m->stack_row, .stack_rows = (uint32_t)m->stack_rows,
                                      .thread = (uint32_t)m->thread, .weave = (uint32_t)m->weave };
        copy_tensor(t->matrices[i].tensor, sizeof t->matrices[i].tensor, tensor);
        for (int s = 0; s <= m->slices; ++s)
            t->ints[t->n_ints++] = (uint32_t)m->slice_first[s];
    }
    for (int i = 0; i < p->norms.n; ++i) {
        const NormMap *n = &p->norms.at[i];
        t->norms[i] = (PkgNorm){ .role = role_of(&p->graph->tensors.at[n->tensor]), .layers = (uint32_t)n->layers,
                                 .cols = (uint32_t)n->cols, .base = (uint64_t)n->base,
                                 .layer_stride = (uint64_t)n->layer_stride };
        copy_tensor(t->norms[i].tensor, sizeof t->norms[i].tensor, &p->graph->tensors.at[n->tensor]);
    }
}

static uint32_t wave_op(OpKind kind)
{
    switch (kind) {
    case OP_EMBED:
        return PKG_OP_EMBED;
    case OP_GEMV:
        return PKG_OP_GEMV;
    case OP_ATTEND:
        return PKG_OP_ATTEND;
    case OP_GATED:
        return PKG_OP_GATED;
    case OP_FFN:
        return PKG_OP_FFN;
    case OP_REDUCE:
        return PKG_OP_REDUCE;
    case OP_SELECT:
        return PKG_OP_SELECT;
    default:
        error_at(NOWHERE, ERR_INTERNAL, "op kind %d has no wave", (int)kind);
    }
}

// Tilings that decide the order of sums, for the reference.
static void fill_order(const Plan *p, const Schedule *s, PkgSchedule *out)
{
    for (int i = 0; i < s->kernels.n; ++i) {
        const Tiling *t = &s->kernels.at[i].tiling;
        if (p->graph->ops.at[s->kernels.at[i].op].kind == OP_ATTEND) {
            out->attend_heads = (uint32_t)t->heads;
            out->attend_lanes = (uint32_t)t->lanes;
            out->attend_chunk = (uint32_t)t->chunk;
            out->attend_streams = (uint32_t)t->streams;
            out->attend_tile = (uint32_t)t->tile;
        }
        if (p->graph->ops.at[s->kernels.at[i].op].kind == OP_REDUCE)
            out->reduce_splits = (uint32_t)t->splits;
    }
}

static void fill_schedule(const Plan *p, const Schedule *s, PkgTables *t, PkgSchedule *out)
{
    int smem = 0;
    *out = (PkgSchedule){ .ctx_min = (uint32_t)s->ctx_min, .ctx_max = (uint32_t)s->ctx_max, .workers = (uint32_t)s->workers,
                          .threads = (uint32_t)plan_threads(s), .parts = (uint32_t)s->parts, .first_wave = t->plan.waves,
                          .waves = (uint32_t)s->waves.n, .first_task = t->plan.tasks, .tasks = (uint32_t)s->tasks.n,
                          .repeat_first = (uint32_t)s->repeats.at[0].first_wave,
                          .repeat_waves = (uint32_t)s->repeats.at[0].waves, .token_waves = (uint32_t)plan_token_waves(s),
                          .sync = s->sync == SYNC_PACKETS ? PKG_PACKETS : PKG_BARRIER, .token_us = s->us };
    copy_name(out->name, sizeof out->name, s->name);
    out->ffn_parts = out->reduce_splits = 1; // packets: down is one product
    fill_order(p, s, out);
    for (int i = 0; i < s->waves.n; ++i) {
        const Wave *w = &s->waves.at[i];
        PkgWave *wave = &t->waves[t->plan.waves + (uint32_t)i];
        *wave = (PkgWave){ .op = wave_op(p->graph->ops.at[w->op].kind), .first_task = t->plan.tasks + (uint32_t)w->first_task,
                           .tasks = (uint32_t)w->tasks, .smem_bytes = (uint32_t)w->smem_bytes };
        copy_name(wave->what, sizeof wave->what, w->what);
        smem = w->smem_bytes > smem ? w->smem_bytes : smem;
        if (p->graph->ops.at[w->op].kind == OP_FFN)
            out->ffn_parts = (uint32_t)w->tasks;
    }
    for (int i = 0; i < s->tasks.n; ++i) {
        const Task *k = &s->tasks.at[i];
        t->tasks[t->plan.tasks + (uint32_t)i] = (PkgTask){ (uint32_t)k->wave, (uint32_t)k->worker, (uint32_t)k->row,
                                                           (uint32_t)k->rows, (uint32_t)k->part, (uint32_t)k->parts };
    }
    out->smem_bytes = (uint32_t)smem;
    t->plan.waves += (uint32_t)s->waves.n;
    t->plan.tasks += (uint32_t)s->tasks.n;
}

static void fill_schedules(Arena *a, const Plan *p, PkgTables *t)
{
    int waves = 0, tasks = 0;
    for (int i = 0; i < p->schedules.n; ++i) {
        waves += p->schedules.at[i].waves.n;
        tasks += p->schedules.at[i].tasks.n;
    }
    t->schedules = arena_alloc(a, (size_t)p->schedules.n * sizeof *t->schedules);
    t->waves = arena_alloc(a, (size_t)waves * sizeof *t->waves);
    t->tasks = arena_alloc(a, (size_t)tasks * sizeof *t->tasks);
    for (int i = 0; i < p->schedules.n; ++i)
        fill_schedule(p, &p->schedules.at[i], t, &t->schedules[i]);
}

static uint64_t buffer_at(const Plan *p, const char *name)
{
    return (uint64_t)plan_buffer(&p->schedules.at[0], name)->at;
}

static void fill_plan(const PackageInput *in, PkgPlan *out)
{
    const Plan *p = in->plan;
    const Model *m = p->model;
    const Target *t = p->target;
    copy_name(out->name, sizeof out->name, m->name);
    copy_name(out->target, sizeof out->target, t->name);
    copy_name(out->gpu, sizeof out->gpu, t->gpu);
    copy_name(out->version, sizeof out->version, LLMC_VERSION_TEXT);
    out->device = in->cpu ? PKG_CPU : PKG_CUDA;
    out->sm = (uint32_t)in->sm;
    out->sms = (uint32_t)t->sms;
    out->layers = (uint32_t)m->layers, out->hidden = (uint32_t)m->hidden, out->heads = (uint32_t)m->heads;
    out->kv_heads = (uint32_t)m->kv_heads, out->head_dim = (uint32_t)m->head_dim, out->ffn = (uint32_t)m->ffn;
    out->vocab = (uint32_t)m->vocab, out->context = (uint32_t)p->ctx, out->norm_eps = (float)m->norm_eps;
    out->model_context = (uint32_t)m->max_tokens;
    out->tied_embedding = m->tied_embedding;
    out->kv_format = p->kv.k == KV_F16 ? PKG_F16 : p->kv.k == KV_BF16 ? PKG_BF16 : PKG_F32;
    out->bos = in->bos;
    out->eos_count = (uint32_t)in->eos_count;
    for (int i = 0; i < in->eos_count; ++i)
        out->eos[i] = in->eos[i];
    out->matrices = (uint32_t)p->matrices.n, out->norms = (uint32_t)p->norms.n, out->schedules = (uint32_t)p->schedules.n;
    out->weight_bytes = (uint64_t)p->weight_bytes;
    out->state_at = ((uint64_t)p->weight_bytes + WEIGHTS_ALIGN - 1) / WEIGHTS_ALIGN * WEIGHTS_ALIGN;
    out->state_bytes = (uint64_t)p->state_bytes;
    out->request_at = buffer_at(p, "request"), out->logits_at = buffer_at(p, "logits"), out->rope_at = buffer_at(p, "angles");
    out->kv_at = buffer_at(p, "cache"), out->keys_at = buffer_at(p, "keys"), out->selectable_at = buffer_at(p, "selectable");
    out->bias_at = buffer_at(p, "bias"), out->history_at = buffer_at(p, "history");
    out->kv_layer_stride = (uint64_t)p->kv.layer_stride, out->kv_head_stride = (uint64_t)p->kv.head_stride;
    out->kv_row_bytes = (uint64_t)p->kv.row_bytes, out->kv_v_offset = (uint64_t)p->kv.v_offset;
    out->kv_bytes = (uint64_t)p->kv.bytes;
    out->parameter_bytes = (uint64_t)p->parameter_bytes, out->token_bytes = (uint64_t)p->token_bytes;
    out->model_fingerprint = p->model_fingerprint, out->matrix_fingerprint = p->matrix_fingerprint;
    out->plan_fingerprint = p->plan_fingerprint;
    out->source_digest = package_digest(in->source, strlen(in->source));
    out->dram_gbs = t->dram_gbs, out->dram_gbs_measured = t->dram_gbs_measured;
    out->registers = (uint32_t)in->registers;
}

const PkgTables *package_tables(Arena *a, const PackageInput *in)
{
    PkgTables *t = arena_alloc(a, sizeof *t);
    fill_weights(a, in->plan, t);
    fill_schedules(a, in->plan, t);
    fill_plan(in, &t->plan);
    t->rope = model_rope_frequencies(a, in->plan->model);
    return t;
}
