// outputs.c: what a compilation writes: the program, and the folder NAME.d that people read.
#include "verbs.h"

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/embedded.h"
#include "base/json.h"
#include "model/weights.h"

#include <string.h>

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

static void add_text(Arena *a, Outputs *to, const char *folder, const char *name, const char *text)
{
    OutFile *file = file_prepare_text(a, str_join(a, folder, name), text, strlen(text));
    if (file)
        vec_push(a, &to->files, file);
}

void verb_write_folder(Arena *a, const Options *o, const Output *out, Outputs *to)
{
    const char *folder = str_format(a, "%s.d", out->name);
    if (file_make_dir(folder)) {
        to->folder = folder;
        cleanup_add(folder);
    }
    if (!o->plan_file || !file_same(o->plan_file, str_join(a, folder, "plan.json"))) // an input stays as it is
        add_text(a, to, folder, "plan.json", out->plan_json);
    add_text(a, to, folder, "plan.txt", out->table);
    add_text(a, to, folder, "decode.cu", out->source);
    add_text(a, to, folder, "decode.map", out->map);
    add_text(a, to, folder, "report.json", out->report);
}

static PackageInput package_input(Arena *a, const Options *o, const Plan *p, const Output *out, const Artifact *art,
                                  const Model *m, const Tokenizer *t)
{
    int registers = 0;
    for (int i = 0; i < art->n_kernels; ++i)
        registers = art->kernels[i].registers > registers ? art->kernels[i].registers : registers;
    PackageInput in = { .plan = p, .plan_json = out->plan_json, .source = out->source, .map = out->map, .report = out->report,
                        .cpu = art->cpu, .image = art->image, .image_bytes = art->bytes, .sm = o->build.sm ? o->build.sm : p->target->sm,
                        .registers = registers, .tokenizer = t, .chat = out->chat, .license = package_license(a, m, o->license) };
    package_set_ends(a, &in, m ? m : p->model);
    return in;
}

void verb_write_program(Arena *a, const Options *o, const Plan *p, const Output *out, const Artifact *art,
                        const Model *m, const Tokenizer *t, Outputs *to)
{
    PackageInput in = package_input(a, o, p, out, art, m, t);
    if (o->bundle) {
        in.weights = m->weights;
        in.weights_source = o->weights ? o->weights : m->path;
    }
    OutFile *file = package_write(a, out->name, &in);
    vec_push(a, &to->files, file);
}

void verb_write_library(Arena *a, const Options *o, const Plan *p, const Output *out, const Artifact *art,
                        const Model *m, const Tokenizer *t, Outputs *to)
{
    PackageInput in = package_input(a, o, p, out, art, m, t);
    const Bytes header = embedded_file("runtime/llmc.h");
    in.library = true;
    OutFile *shared = package_write(a, verb_library_name(a, out->name, ".so"), &in);
    OutFile *fixed = archive_write(a, verb_library_name(a, out->name, ".a"), &in);
    OutFile *text = file_prepare_text(a, str_format(a, "%s.h", out->name), (const char *)header.at, header.bytes);
    vec_push(a, &to->files, shared);
    vec_push(a, &to->files, fixed);
    if (text)
        vec_push(a, &to->files, text);
}

void verb_commit(const Outputs *outputs)
{
    for (int i = 0; i < outputs->files.n; ++i)
        file_commit(outputs->files.at[i]);
    if (outputs->folder)
        cleanup_forget(outputs->folder);
}

// A path as a shell takes it, and never as an option.
static const char *shell_word(Arena *a, const char *path)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%";
    Str word = str_new(a);
    if (*path == '-')
        path = str_format(a, "./%s", path);
    if (path[strspn(path, plain)] == 0)
        return path;
    str_add(&word, "'");
    for (const char *s = path; *s; ++s)
        str_add(&word, *s == '\'' ? "'\\''" : "%c", *s);
    str_add(&word, "'");
    return word.text;
}

void verb_note_unread(Arena *a, bool bundled, const char *program)
{
    const char *streams = str_format(a, "%s.llmw", program);
    if (bundled && file_exists(streams))
        note("%s is no longer read: %s carries its weights", streams, program);
}

void verb_say_made(Arena *a, const Options *o, const Plan *p, const Output *out, const Artifact *art, const Model *m,
                   const Tokenizer *t, bool program)
{
    const Schedule *s = &p->schedules.at[0];
    verb_note_unread(a, o->bundle, out->name);
    const char *run = shell_word(a, strchr(out->name, '/') ? out->name : str_format(a, "./%s", out->name));
    note("%s: %s for %s (%s), %s; context %d; %d workers x %d threads; predicted %.2f ms a token at context 1, floor %.2f ms",
         out->name, p->model->name, p->target->name, arch_name(p, art, o),
         art->tool, p->ctx, s->workers, plan_threads(s), plan_token_us(p, 1) / 1e3, plan_floor_us(p, 1) / 1e3);
    if (!program)
        note("use: %s.h with %s or %s%s", out->name, verb_library_name(a, out->name, ".so"),
             verb_library_name(a, out->name, ".a"),
             m && m->weights ? str_format(a, "; weights: %s.llmw", out->name) : "");
    else if (m && m->weights && t && t->tables)
        note("run: %s -p \"The capital of France is\"", run);
    else if (m && m->weights)
        note("run: %s --ids-in 1,2,3 -n 8    (ids alone: %s)", run, t && t->why_not ? t->why_not : "no tokenizer");
    else
        note("no weights yet: llmc pack MODEL --into %s, or %s --weights random:1 --ids-in 1,2,3 -n 8 --ids",
             shell_word(a, out->name), run);
}
