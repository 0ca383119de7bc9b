// json.c: write plan.json: fixed key order, one task a line, no times and no paths.
#include "plan_json.h"

static void write_tiling(const Tiling *t, Str *out)
{
    str_add(out, "{\"granule\": %d, \"rows\": %d, \"unroll\": %d, \"splits\": %d, \"heads\": %d, \"lanes\": %d, "
                 "\"chunk\": %d, \"streams\": %d, \"tile\": %d}",
            t->granule, t->rows, t->unroll, t->splits, t->heads, t->lanes, t->chunk, t->streams, t->tile);
}

static void write_matrix(const Plan *p, const Matrix *m, Str *out)
{
    str_add(out, "    {\"tensor\": %s, \"format\": \"%s\", \"layout\": \"%s\", \"version\": %d, \"layers\": %d, \"rows\": %d, "
                 "\"cols\": %d, \"unit\": [%d, %d], \"slice_cols\": %d, \"base\": %lld, \"stride\": %lld, "
                 "\"layer_stride\": %lld, \"bytes\": %lld, \"scale_bytes\": %d, \"slices\": [",
            json_quote(p->arena, p->graph->tensors.at[m->tensor].name), m->format->name, layout_name(m->layout),
            m->layout_version, m->layers, m->rows, m->cols, m->unit_rows, m->unit_cols, m->slice_cols, (long long)m->base,
            (long long)m->stride, (long long)m->layer_stride, (long long)m->bytes, m->scale_bytes);
    for (int i = 0; i <= m->slices; ++i)
        str_add(out, "%s%d", i ? ", " : "", m->slice_first[i]);
    str_add(out, "]");
    if (m->layout == LAYOUT_FRAGMENTS)
        str_add(out, ", \"deal\": %d, \"stack\": [%d, %d], \"weave\": [%d, %d]", m->deal, m->stack_row, m->stack_rows, m->thread, m->weave);
    str_add(out, "}");
}

void plan_write_matrices(const Plan *p, Str *out)
{
    str_add(out, "  \"matrices\": [\n");
    for (int i = 0; i < p->matrices.n; ++i) {
        write_matrix(p, &p->matrices.at[i], out);
        str_add(out, i + 1 < p->matrices.n ? ",\n" : "\n");
    }
    str_add(out, "  ],\n  \"norms\": [\n");
    for (int i = 0; i < p->norms.n; ++i) {
        const NormMap *n = &p->norms.at[i];
        str_add(out, "    {\"tensor\": %s, \"layers\": %d, \"cols\": %d, \"base\": %lld, \"layer_stride\": %lld}%s\n",
                json_quote(p->arena, p->graph->tensors.at[n->tensor].name), n->layers, n->cols, (long long)n->base,
                (long long)n->layer_stride, i + 1 < p->norms.n ? "," : "");
    }
    str_add(out, "  ],\n  \"weight_bytes\": %lld,\n", (long long)p->weight_bytes);
}

static void write_kernels(const Plan *p, const Schedule *s, Str *out)
{
    str_add(out, "      \"kernels\": [\n");
    for (int i = 0; i < s->kernels.n; ++i) {
        const Kernel *k = &s->kernels.at[i];
        str_add(out, "        {\"name\": \"%s\", \"op\": \"%s\", \"kind\": \"%s\", \"tiling\": ", k->name,
                p->graph->ops.at[k->op].what, k->kind->name);
        write_tiling(&k->tiling, out);
        str_add(out, "}%s\n", i + 1 < s->kernels.n ? "," : "");
    }
    str_add(out, "      ],\n");
}

static void write_buffers(const Schedule *s, Str *out)
{
    str_add(out, "      \"buffers\": [\n");
    for (int i = 0; i < s->buffers.n; ++i) {
        const Buffer *b = &s->buffers.at[i];
        str_add(out, "        {\"name\": \"%s\", \"space\": \"%s\", \"at\": %lld, \"bytes\": %lld, \"waves\": [%d, %d]}%s\n", b->name,
                b->space == SPACE_SHARED ? "shared" : "global", (long long)b->at, (long long)b->bytes, b->first_wave,
                b->last_wave, i + 1 < s->buffers.n ? "," : "");
    }
    str_add(out, "      ],\n");
}

static void write_waves(const Schedule *s, Str *out)
{
    str_add(out, "      \"waves\": [\n");
    for (int i = 0; i < s->waves.n; ++i) {
        const Wave *w = &s->waves.at[i];
        str_add(out, "        {\"op\": \"%s\", \"smem_bytes\": %d, \"sync\": \"%s\", \"scope\": \"%s\"", w->what,
                w->smem_bytes, sync_name(w->sync), w->scope == SCOPE_SYSTEM ? "system" : "gpu");
        if (s->feed == FEED_BULK)
            str_add(out, ", \"window\": %d, \"wide\": %d", w->window, w->wide);
        str_add(out, "}%s\n", i + 1 < s->waves.n ? "," : "");
    }
    str_add(out, "      ],\n      \"repeats\": [\n");
    for (int i = 0; i < s->repeats.n; ++i) {
        const Repeat *r = &s->repeats.at[i];
        str_add(out, "        {\"first_wave\": %d, \"waves\": %d, \"first_layer\": %d, \"layers\": %d, \"class\": %d}%s\n",
                r->first_wave, r->waves, r->first_layer, r->layers, r->class, i + 1 < s->repeats.n ? "," : "");
    }
    str_add(out, "      ],\n");
}

static void write_tasks(const Plan *p, const Schedule *s, Str *out)
{
    str_add(out, "      \"tasks\": [\n");
    for (int i = 0; i < s->tasks.n; ++i) {
        const Task *t = &s->tasks.at[i];
        str_add(out, "        {\"wave\": %d, \"op\": \"%s\", \"worker\": %d, \"row\": %d, \"rows\": %d, \"part\": %d, \"parts\": %d}%s\n",
                t->wave, p->graph->ops.at[t->op].what, t->worker, t->row, t->rows, t->part, t->parts,
                i + 1 < s->tasks.n ? "," : "");
    }
    str_add(out, "      ]\n");
}

static void write_schedule(const Plan *p, const Schedule *s, Str *out)
{
    str_add(out, "    {\n      \"name\": \"%s\", \"phase\": \"%s\", \"positions\": %d, \"contexts\": [%d, %d],\n", s->name,
            s->phase == PHASE_PREFILL ? "prefill" : "decode", s->positions, s->ctx_min, s->ctx_max);
    str_add(out, "      \"workers\": %d, \"warps\": %d, \"registers\": %d, \"parts\": %d, \"sync\": \"%s\", \"feed\": \"%s\", "
                 "\"stages\": %d, \"window\": %d,\n",
            s->workers, s->warps, s->regs, s->parts, sync_name(s->sync), feed_name(s->feed), s->stages, s->window);
    write_kernels(p, s, out);
    write_buffers(s, out);
    write_waves(s, out);
    write_tasks(p, s, out);
    str_add(out, "    }");
}

void plan_write_json(const Plan *p, Str *out)
{
    str_add(out, "{\n  \"llmc_plan\": %d,\n  \"name\": %s,\n  \"model\": ", PLAN_JSON_VERSION,
            json_quote(p->arena, p->model->name));
    model_write_json(p->model, out);
    str_add(out, ",\n  \"target\": ");
    target_write_json(p->target, out);
    str_add(out, ",\n  \"made_for\": {\"model\": \"%016llx\", \"target\": \"%016llx\"},\n",
            (unsigned long long)p->model_fingerprint, (unsigned long long)p->target_fingerprint);
    str_add(out, "  \"context\": %d,\n  \"poll_limit\": %d,\n", p->ctx, p->poll_limit);
    const KvMap *kv = &p->kv;
    str_add(out, "  \"kv\": {\"k\": \"%s\", \"v\": \"%s\", \"row_bytes\": %d, \"tile_tokens\": %d, \"swizzle\": \"%s\", "
                 "\"head_stride\": %lld, \"v_offset\": %lld, \"layer_stride\": %lld, \"bytes\": %lld},\n",
            kv_name(kv->k), kv_name(kv->v), kv->row_bytes, kv->tile_tokens, kv->swizzle == SWIZZLE_XOR ? "xor" : "none",
            (long long)kv->head_stride, (long long)kv->v_offset, (long long)kv->layer_stride, (long long)kv->bytes);
    plan_write_matrices(p, out);
    str_add(out, "  \"state_bytes\": %lld,\n  \"schedules\": [\n", (long long)p->state_bytes);
    for (int i = 0; i < p->schedules.n; ++i) {
        write_schedule(p, &p->schedules.at[i], out);
        str_add(out, i + 1 < p->schedules.n ? ",\n" : "\n");
    }
    str_add(out, "  ]\n}\n");
}

static uint64_t hash_text(const Str *s)
{
    return str_hash(STR_HASH_SEED, s->text, s->bytes);
}

uint64_t plan_model_fingerprint(const Plan *p)
{
    Str s = str_new(p->arena);
    model_write_json(p->model, &s);
    return hash_text(&s);
}

uint64_t plan_target_fingerprint(const Plan *p)
{
    Str s = str_new(p->arena);
    target_write_json(p->target, &s);
    return hash_text(&s);
}

void plan_finish(Plan *p)
{
    if (!p->model_fingerprint)
        p->model_fingerprint = plan_model_fingerprint(p);
    if (!p->target_fingerprint)
        p->target_fingerprint = plan_target_fingerprint(p);
    Str matrices = str_new(p->arena), all = str_new(p->arena);
    plan_write_matrices(p, &matrices);
    p->matrix_fingerprint = hash_text(&matrices);
    plan_write_json(p, &all);
    p->plan_fingerprint = hash_text(&all);
}
