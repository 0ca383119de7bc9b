// table.c: a plan as a table for people; fixed columns, so that a diff reads.
#include "plan.h"

// "153-154", or "64" when all are alike.
static const char *range(Arena *a, int low, int high)
{
    return low == high ? str_format(a, "%d", low) : str_format(a, "%d-%d", low, high);
}

static void write_wave(const Plan *p, const Schedule *s, int index, Str *out)
{
    const Wave *w = &s->waves.at[index];
    int low = INT32_MAX, high = 0;
    const WaveLoad l = plan_wave_load(p, s, w);
    for (int i = w->first_task; i < w->first_task + w->tasks; ++i) {
        const Task *t = &s->tasks.at[i];
        low = t->rows < low ? t->rows : low;
        high = t->rows > high ? t->rows : high;
    }
    const int times = plan_wave_times(s, index);
    const char *label = times > 1 ? str_format(p->arena, "%d (x%d)", index, times) : str_format(p->arena, "%d", index);
    const double balance = l.most ? (double)l.all / s->workers / (double)l.most : 0;
    str_add(out, "%-9s %-8s %5d  %-12s %9.3f  %7s %9.1f  %8.2f  %s\n", label, w->what, w->tasks, range(p->arena, low, high),
            (double)l.most / 1e6, l.most ? str_format(p->arena, "%.3f", balance) : "-", w->smem_bytes / 1024.0, w->us,
            sync_name(w->sync));
}

static void write_schedule(const Plan *p, const Schedule *s, Str *out)
{
    str_add(out, "\n%s: contexts %d to %d, %d workers x %d warps, %d registers a thread, %d part%s a K/V head, %s, %s, %d waves a token\n",
            s->name, s->ctx_min, s->ctx_max, s->workers, s->warps, s->regs, s->parts, s->parts > 1 ? "s" : "",
            sync_name(s->sync), feed_name(s->feed), plan_token_waves(s));
    str_add(out, "wave      op       tasks  rows         MB/worker  balance  smem KiB        us  sync\n");
    for (int i = 0; i < s->waves.n; ++i)
        write_wave(p, s, i, out);
    str_add(out, "token: predicted %.2f ms at context %d, floor %.2f ms\n", s->us / 1e3, s->ctx_max,
            plan_floor_us(p, s->ctx_max) / 1e3);
}

static void write_matrices(const Plan *p, Str *out)
{
    str_add(out, "\nmatrix                                       layout  rows     cols     slices  bytes a layer     base\n");
    for (int i = 0; i < p->matrices.n; ++i) {
        const Matrix *m = &p->matrices.at[i];
        str_add(out, "%-44s %-7s %-8d %-8d %-7d %-17s %s\n", p->graph->tensors.at[m->tensor].name, layout_name(m->layout),
                m->rows, m->cols, m->slices, str_count(p->arena, m->bytes), str_count(p->arena, m->base));
    }
}

void plan_write_table(const Plan *p, Str *out)
{
    const Schedule *s = &p->schedules.at[0];
    str_add(out, "%s on %s: %d workers x %d warps, %d waves a token, %.0f MB weights, floor %.2f ms at context 1 (%s GB/s %s), predicted %.2f ms\n",
            p->model->name, p->target->name, s->workers, s->warps, plan_token_waves(s), (double)p->parameter_bytes / 1e6,
            plan_floor_us(p, 1) / 1e3, str_format(p->arena, "%g", p->target->dram_gbs),
            p->target->dram_gbs_measured ? "measured" : "data sheet", plan_token_us(p, 1) / 1e3);
    for (int i = 0; i < p->schedules.n; ++i)
        write_schedule(p, &p->schedules.at[i], out);
    write_matrices(p, out);
    str_add(out, "\nparameters   %s bytes at 2 each\n", str_count(p->arena, p->parameter_bytes));
    str_add(out, "norms in f32 %s bytes more\n", str_count(p->arena, p->norm_extra_bytes));
    str_add(out, "padding      %s bytes\n", str_count(p->arena, p->padding_bytes));
    str_add(out, "weights      %s bytes\n", str_count(p->arena, p->weight_bytes));
    str_add(out, "K/V          %s bytes a position in %s, %s positions, %s bytes\n",
            str_count(p->arena, plan_kv_position_bytes(p)), kv_name(p->kv.k), str_count(p->arena, p->ctx),
            str_count(p->arena, p->kv.bytes));
    str_add(out, "state        %s bytes, K/V included\n", str_count(p->arena, p->state_bytes));
    if (plan_trace(p).bytes)
        str_add(out, "trace        %s bytes of it, for the stamps of a launch\n", str_count(p->arena, plan_trace(p).bytes));
    str_add(out, "matrices %016llx  plan %016llx\n", (unsigned long long)p->matrix_fingerprint,
            (unsigned long long)p->plan_fingerprint);
}
