// outputs_check.c: before any work is done: the outputs may be written where the command line says.
#include "verbs.h"

#include "base/diag.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// "x-rtx-3050", "x-mine" for --target cards/mine.json.
const char *verb_target_name(Arena *a, const Options *o, const char *name, const char *target)
{
    const char *card = str_basename(target);
    const size_t bytes = strlen(card) - (str_ends(card, ".json") ? strlen(".json") : 0);
    return o->targets.n > 1 ? str_format(a, "%s-%.*s", name, (int)bytes, card) : name;
}

static bool ends_as_program(const char *path)
{
    PkgFooter footer;
    FILE *f = file_is_regular(path) ? fopen(path, "rb") : NULL;
    if (!f)
        return false;
    const bool is = fseeko(f, -(off_t)sizeof footer, SEEK_END) == 0 && fread(&footer, sizeof footer, 1, f) == 1 &&
                    memcmp(footer.magic, PKG_END_MAGIC, sizeof footer.magic) == 0;
    fclose(f);
    return is;
}

static bool begins_as_weights(const char *path)
{
    WeightsHeader header;
    FILE *f = file_is_regular(path) ? fopen(path, "rb") : NULL;
    if (!f)
        return false;
    const bool is =
        fread(&header, sizeof header, 1, f) == 1 && memcmp(header.magic, WEIGHTS_MAGIC, sizeof header.magic) == 0;
    fclose(f);
    return is;
}

// Inputs are never modified: neither a file that is read, nor a file in a folder that is read.
static void refuse_input(Arena *a, const Options *o, const char *path)
{
    const char *const inputs[] = { o->operand, o->plan_file, o->weights, o->model, o->templates, o->license };
    for (int i = 0; i < ARRAY_LEN(inputs); ++i)
        if (inputs[i] &&
            (file_same(path, inputs[i]) || (file_exists(path) && !file_is_dir(path) && file_is_dir(inputs[i]) &&
                                            file_same(file_folder(a, path), inputs[i]))))
            error_at(loc_file(path), ERR_USAGE,
                     "is read as an input: an output does not replace it; -o NAME writes elsewhere");
    for (int i = 0; i < o->targets.n; ++i)
        if (file_same(path, o->targets.at[i]))
            error_at(loc_file(path), ERR_USAGE,
                     "is read as an input: an output does not replace it; -o NAME writes elsewhere");
}

// The folder is there and new files may be made in it.
static void check_folder(Arena *a, const char *path)
{
    const char *folder = file_folder(a, path);
    if (!file_is_dir(folder))
        error_at(loc_file(path), ERR_WRITE, "cannot write: there is no folder %s", folder);
    if (access(folder, W_OK | X_OK) != 0)
        error_at(loc_file(path), ERR_WRITE, "cannot write: folder %s: %s", folder, strerror(errno));
}

const char *verb_library_name(Arena *a, const char *name, const char *suffix)
{
    const char *last = str_basename(name);
    return str_format(a, "%.*slib%s%s", (int)(last - name), name, last, suffix);
}

const char *verb_weights_name(Arena *a, const char *program, bool library)
{
    const char *last = str_basename(program), *end = strstr(last, ".so");
    if (!library || !str_starts(last, "lib") || !end)
        return str_format(a, "%s.llmw", program);
    return str_format(a, "%.*s%.*s.llmw", (int)(last - program), program, (int)(end - last) - 3, last + 3);
}

static bool begins_with(const char *path, const char *text)
{
    char begin[64];
    const size_t bytes = strlen(text);
    FILE *f = file_is_regular(path) ? fopen(path, "rb") : NULL;
    const bool is = f && fread(begin, 1, bytes, f) == bytes && memcmp(begin, text, bytes) == 0;
    if (f)
        fclose(f);
    return is;
}

void verb_check_library(Arena *a, const Options *o, const char *name)
{
    const char *shared = verb_library_name(a, name, ".so"), *fixed = verb_library_name(a, name, ".a"),
               *header = str_format(a, "%s.h", name);
    const struct {
        const char *path;
        bool ours;
    } files[] = { { shared, ends_as_program(shared) },
                  { fixed, begins_with(fixed, "!<arch>\n/ ") && ends_as_program(shared) },
                  { header, begins_with(header, "// llmc.h: ") } };
    for (int i = 0; i < ARRAY_LEN(files); ++i) {
        refuse_input(a, o, files[i].path);
        if (file_exists(files[i].path) && !files[i].ours && !o->no_build && !o->force)
            error_at(loc_hint(loc_file(files[i].path), "-f replaces it, -o NAME writes elsewhere"), ERR_USAGE,
                     "exists and was not made by llmc");
    }
}

void verb_check_output(Arena *a, const Options *o, const char *name, bool program, bool weights)
{
    const char *last = str_basename(name), *folder = str_format(a, "%s.d", name),
               *streams = str_format(a, "%s.llmw", name);
    const Loc elsewhere = loc_hint(loc_file(name), "-o NAME names the program");
    if (str_equal(name, "-"))
        error_at(elsewhere, ERR_USAGE, "a program is not written to stdout");
    if (!*last || str_equal(last, ".") || str_equal(last, ".."))
        error_at(elsewhere, ERR_USAGE, "names a folder, a file was expected");
    if (file_is_dir(name))
        error_at(elsewhere, ERR_USAGE, "is a folder, the program would have its name");
    refuse_input(a, o, name);
    if (file_exists(name) && !file_is_regular(name))
        error_at(elsewhere, ERR_USAGE, "is a pipe or a device, a file was expected");
    if (program && file_exists(name) && !o->no_build && !o->force && !ends_as_program(name))
        error_at(loc_hint(loc_file(name), "-f replaces it, -o NAME writes elsewhere"), ERR_USAGE,
                 "exists and is not a program made by llmc");
    check_folder(a, name);
    if (file_exists(folder) && !file_is_dir(folder))
        error_at(loc_file(folder), ERR_WRITE, "is a file: the texts of %s go into a folder of this name", name);
    if (file_is_dir(folder) && access(folder, W_OK | X_OK) != 0)
        error_at(loc_file(folder), ERR_WRITE, "cannot write: %s", strerror(errno));
    if (weights && file_exists(streams) && !file_is_regular(streams))
        error_at(loc_file(streams), ERR_WRITE, "is no file: the weights of %s go into a file of this name", name);
}

void verb_check_text_output(Arena *a, const Options *o, const char *path)
{
    if (str_equal(path, "-"))
        return;
    refuse_input(a, o, path);
    if (ends_as_program(path) || begins_as_weights(path))
        error_at(loc_hint(loc_file(path), "-o FILE writes elsewhere"), ERR_USAGE,
                 "is %s made by llmc: a text does not replace it", begins_as_weights(path) ? "weights" : "a program");
}

const char *verb_output_name(Arena *a, const Options *o, const char *model, const char *target)
{
    return file_behind_links(a, verb_target_name(a, o, o->out ? o->out : model, target));
}

const char *verb_text_output(Arena *a, const Options *o, const char *target)
{
    if (!o->out || str_equal(o->out, "-"))
        return "-";
    const char *path = verb_target_name(a, o, o->out, target);
    verb_check_text_output(a, o, path);
    return path;
}

void verb_check_target(const Options *o, const Target *t)
{
    const bool cpu = t->kind == TARGET_CPU || o->build.cpu;
    const char *tool = o->build.nvcc ? "--nvcc" : o->build.nvrtc ? "--nvrtc" : o->build.n_extra ? "-Xnvcc" : NULL;
    if (!o->plan_file && o->plan.workers > t->sms)
        error_at(NOWHERE, ERR_OPTION_VALUE, "--workers is %d: %s has %d multiprocessors, and each holds one worker",
                 o->plan.workers, t->name, t->sms);
    if (o->build.sm && t->kind == TARGET_CPU)
        error_at(loc_hint(NOWHERE, "--target tiny-gpu has the same sizes"), ERR_USAGE,
                 "--arch sm_%d: target %s is no GPU", o->build.sm, t->name);
    if (cpu && tool)
        error_at(NOWHERE, ERR_USAGE, "%s: a program for the CPU is built by g++ or clang++ ($CXX names another)", tool);
}
