// outputs.c: what a compilation writes: the program, and the folder NAME.d that people read.
#include "verbs.h"

#include "base/diag.h"
#include "base/file.h"
#include "base/json.h"
#include "model/weights.h"

#include <string.h>

const char *verb_output_name(Arena *a, const Options *o, const Plan *p, const char *target)
{
    const char *name = o->out ? o->out : p->model->name;
    return o->targets.n > 1 ? str_format(a, "%s-%s", name, target) : name;
}

static void write_kernels(const Artifact *art, Str *out)
{
    for (int i = 0; i < art->n_kernels; ++i) {
        const KernelFacts *k = &art->kernels[i];
        str_add(out, "    {\"name\": \"%s\", \"registers\": %d, \"static_smem_bytes\": %d, \"stack_bytes\": %d, \"spill_bytes\": %d}%s\n",
                k->name, k->registers, k->smem_bytes, k->stack_bytes, k->spill_bytes, i + 1 < art->n_kernels ? "," : "");
    }
}

// What the image runs on: "sm_86", "cpu".
static const char *arch_name(const Plan *p, const Artifact *art, const Options *o)
{
    return art->cpu ? "cpu" : str_format(p->arena, "sm_%d", o->build.sm ? o->build.sm : p->target->sm);
}

// No times and no paths: the same input gives the same bytes.
void verb_write_report(const Plan *p, const Artifact *art, const Options *o, Str *out)
{
    int smem = 0;
    for (int i = 0; i < p->schedules.n; ++i)
        for (int w = 0; w < p->schedules.at[i].waves.n; ++w)
            smem = p->schedules.at[i].waves.at[w].smem_bytes > smem ? p->schedules.at[i].waves.at[w].smem_bytes : smem;
    str_add(out, "{\n  \"llmc_report\": 1,\n  \"llmc\": \"%s\",\n  \"model\": %s,\n  \"target\": %s,\n", LLMC_VERSION_TEXT,
            json_quote(p->arena, p->model->name), json_quote(p->arena, p->target->name));
    str_add(out, "  \"arch\": \"%s\",\n  \"tool\": %s,\n", arch_name(p, art, o),
            json_quote(p->arena, art->tool ? art->tool : "none"));
    str_add(out, "  \"image_bytes\": %zu,\n  \"dynamic_smem_bytes\": %d,\n  \"kernels\": [\n", art->bytes, smem);
    write_kernels(art, out);
    str_add(out, "  ],\n  \"plan\": \"%016llx\",\n  \"matrices\": \"%016llx\"\n}\n", (unsigned long long)p->plan_fingerprint,
            (unsigned long long)p->matrix_fingerprint);
}

void verb_write_folder(Arena *a, const Output *out)
{
    const char *dir = str_format(a, "%s.d", out->name);
    file_make_dir(dir);
    file_write_text(a, str_join(a, dir, "plan.json"), out->plan_json, strlen(out->plan_json));
    file_write_text(a, str_join(a, dir, "plan.txt"), out->table, strlen(out->table));
    file_write_text(a, str_join(a, dir, "decode.cu"), out->source, strlen(out->source));
    file_write_text(a, str_join(a, dir, "decode.map"), out->map, strlen(out->map));
    file_write_text(a, str_join(a, dir, "report.json"), out->report, strlen(out->report));
}

// A file that exists and does not end as a program of llmc does.
static bool is_foreign(Arena *a, const char *path)
{
    if (!file_exists(path))
        return false;
    if (file_is_dir(path))
        return true;
    const Bytes b = file_map(a, path);
    const size_t end = sizeof(PkgFooter);
    return b.bytes < end || memcmp(((const PkgFooter *)(const void *)(b.at + b.bytes - end))->magic, PKG_END_MAGIC, 8) != 0;
}

void verb_write_program(Arena *a, const Options *o, const Plan *p, const Output *out, const Artifact *art, const Model *m)
{
    if (!o->force && is_foreign(a, out->name))
        error_at(loc_hint(loc_file(out->name), "-f replaces it, -o NAME writes elsewhere"), ERR_USAGE,
                 "exists and is not a program made by llmc");
    int registers = 0;
    for (int i = 0; i < art->n_kernels; ++i)
        registers = art->kernels[i].registers > registers ? art->kernels[i].registers : registers;
    PackageInput in = { .plan = p, .plan_json = out->plan_json, .source = out->source, .map = out->map, .report = out->report,
                        .cpu = art->cpu, .image = art->image, .image_bytes = art->bytes, .sm = o->build.sm ? o->build.sm : p->target->sm,
                        .registers = registers, .tokenizer = m ? tokenizer_load(a, m) : NULL };
    package_set_ends(a, &in, m ? m : p->model);
    package_write(a, out->name, &in);
}

void verb_say_made(const Options *o, const Plan *p, const Output *out, const Artifact *art, const Model *m)
{
    const Schedule *s = &p->schedules.at[0];
    const char *slash = strchr(out->name, '/') ? "" : "./";
    note("%s: %s for %s (%s), %s; context %d; %d workers x %d threads; predicted %.2f ms a token at context 1, floor %.2f ms",
         out->name, p->model->name, p->target->name, arch_name(p, art, o),
         art->tool, p->ctx, s->workers, s->warps * 32, s->us / 1e3, plan_floor_us(p, 1) / 1e3);
    if (m && m->weights)
        note("run: %s%s -p \"The capital of France is\"", slash, out->name);
    else
        note("no weights yet: llmc pack MODEL --into %s, or %s%s --weights random:1 --ids-in 1,2,3 -n 8 --ids", out->name, slash, out->name);
}
