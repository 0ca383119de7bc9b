// trace.c: what a program of -ftrace says beside its stamps: where they lie, and what each wave streams and was to take.
#include "tables.h"

// Parameters that a wave reads, at two bytes each; a row that is looked up is no stream.
static uint64_t weight_bytes(const Plan *p, const Op *op)
{
    uint64_t bytes = 0;
    for (int i = 0; i < OP_IN && op->kind != OP_EMBED; ++i) {
        const Tensor *t = op->in[i] < 0 ? NULL : &p->graph->tensors.at[op->in[i]];
        if (t && t->kind == TENSOR_WEIGHT)
            bytes += 2ull * (uint64_t)t->rows * (uint64_t)t->cols;
    }
    return bytes;
}

Bytes package_trace(Arena *a, const Plan *p)
{
    const TraceMap map = plan_trace(p);
    int waves = 0, n = 0;
    if (!map.bytes)
        return (Bytes){ NULL, 0 };
    for (int i = 0; i < p->schedules.n; ++i)
        waves += p->schedules.at[i].waves.n;
    const size_t bytes = sizeof(PkgTrace) + (size_t)waves * sizeof(PkgTraceWave);
    unsigned char *all = arena_alloc(a, bytes);
    *(PkgTrace *)(void *)all = (PkgTrace){ .at = (uint64_t)map.at, .stamps_at = (uint64_t)map.stamps_at, .bytes = (uint64_t)map.bytes,
                                           .workers = (uint32_t)map.workers, .waves = (uint32_t)map.waves };
    PkgTraceWave *out = (PkgTraceWave *)(void *)(all + sizeof(PkgTrace));
    double *first = arena_alloc(a, (size_t)waves * sizeof *first);
    for (int i = 0; i < p->schedules.n; ++i) {
        const Schedule *s = &p->schedules.at[i];
        plan_wave_us(p, s, s->ctx_min, first);
        for (int k = 0; k < s->waves.n; ++k) {
            const Wave *w = &s->waves.at[k];
            const Op *op = &p->graph->ops.at[w->op];
            out[n++] = (PkgTraceWave){ .weight_bytes = weight_bytes(p, op),
                                       .kv_bytes = op->kind == OP_ATTEND ? 2ull * (uint64_t)p->model->kv_heads * (uint64_t)p->kv.row_bytes : 0,
                                       .first_us = first[k], .last_us = w->us, .latency_us = plan_sync_us(p, s, k) };
        }
    }
    return (Bytes){ all, bytes };
}
