// shards.c: a checkpoint of several .safetensors files: its index against its shards; what else is in the folder.
#include "parts.h"

#include "../base/disguise.h"
#include "../base/file.h"

#include <stdlib.h>

static const char *const index_name = "model.safetensors.index.json", *const single_name = "model.safetensors";

// One line of the index.
typedef struct Placed {
    const char *tensor, *shard;
    Json at;
} Placed;

typedef VEC(Placed) Places;
typedef VEC(const char *) Names;

static int by_shard(const void *a, const void *b)
{
    const Placed *x = a, *y = b;
    const int order = strcmp(x->shard, y->shard);
    return order ? order : strcmp(x->tensor, y->tensor);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const WeightTensor *)a)->name, ((const WeightTensor *)b)->name);
}

// *total: the bytes of all tensors, as the index counts them; 0: it does not.
static Places read_index(Arena *a, const char *path, int64_t *total)
{
    const Bytes b = file_read(a, path);
    disguise_refuse(path, b, "the index of a checkpoint's shards");
    const Json index = json_parse(a, path, (const char *)b.at, b.bytes, -1), map = want_object(index, "weight_map");
    const Json bytes = json_get(json_get(index, "metadata"), "total_size");
    *total = json_is_number(bytes) ? json_int(bytes, 0, INT64_C(1) << 53) : 0;
    Places places = { 0 };
    for (Json v = json_first(map); v.node; v = json_next(v)) {
        const Placed p = { json_key(v), json_string(v), v };
        if (strchr(p.shard, '/') || !str_ends(p.shard, ".safetensors"))
            error_at(json_loc(v), ERR_SHARD_INDEX, "%s lies in \"%s\": must be a .safetensors file beside the index",
                     p.tensor, p.shard);
        vec_push(a, &places, p);
    }
    if (places.n == 0)
        error_at(json_loc(map), ERR_SHARD_INDEX, "weight_map names no tensor");
    qsort(places.at, (size_t)places.n, sizeof *places.at, by_shard);
    return places;
}

// Tensors [first, last) of the sorted index lie in one shard.
static int shard_end(const Places *places, int first)
{
    int last = first + 1;
    while (last < places->n && str_equal(places->at[last].shard, places->at[first].shard))
        ++last;
    return last;
}

static void want_shards(Arena *a, const char *dir, const Places *places, int64_t total)
{
    Diags d = { .arena = a };
    int64_t here = 0;
    for (int first = 0, last; first < places->n; first = last) {
        last = shard_end(places, first);
        const char *shard = places->at[first].shard, *path = str_join(a, dir, shard);
        if (file_exists(path))
            here += (int64_t)file_map(a, path).bytes;
        else
            diag_add(&d, json_loc(places->at[first].at), ERR_SHARD_MISSING, "%s is missing: %d of %d tensors are in it",
                     shard, last - first, places->n);
    }
    if (d.list.n && total)
        d.list.at[d.list.n - 1].at.below =
            str_format(a, "note: the shards here have %s of about %s bytes\n", str_count(a, here), str_count(a, total));
    diag_exit_if_any(&d);
}

// Both lists are sorted by tensor name: walks them side by side.
static void compare(const Places *places, int first, int last, const WeightTensors *tensors, Diags *d)
{
    int t = 0;
    while (first < last || t < tensors->n) {
        const Placed *p = &places->at[first];
        const int order = first == last ? 1 : t == tensors->n ? -1 : strcmp(p->tensor, tensors->at[t].name);
        if (order < 0)
            diag_add(d, json_loc(p->at), ERR_SHARD_INDEX, "%s is not in %s, where the index places it", p->tensor,
                     p->shard);
        if (order > 0)
            diag_add(d, tensors->at[t].at, ERR_SHARD_INDEX, "%s is in this shard, but the index does not place it here",
                     tensors->at[t].name);
        first += order <= 0;
        t += order >= 0;
    }
}

// Returns the index, sorted by shard.
static Places read_shards(Arena *a, const char *path, WeightTensors *out)
{
    const char *slash = strrchr(path, '/');
    const char *dir = slash ? str_copy(a, path, (size_t)(slash - path) + 1) : "";
    int64_t total;
    const Places places = read_index(a, path, &total);
    want_shards(a, *dir ? dir : ".", &places, total);
    Diags d = { .arena = a };
    for (int first = 0, last; first < places.n; first = last) {
        last = shard_end(&places, first);
        WeightTensors tensors = { 0 };
        safetensors_file(a, str_format(a, "%s%s", dir, places.at[first].shard), &tensors);
        if (tensors.n)
            qsort(tensors.at, (size_t)tensors.n, sizeof *tensors.at, by_name);
        compare(&places, first, last, &tensors, &d);
        for (int i = 0; i < tensors.n; ++i)
            vec_push(a, out, tensors.at[i]);
    }
    diag_exit_if_any(&d);
    return places;
}

void safetensors_index(Arena *a, const char *path, WeightTensors *out)
{
    read_shards(a, path, out);
}

static bool is_read(const Places *places, const char *name)
{
    for (int i = 0; i < places->n; ++i)
        if (str_equal(places->at[i].shard, name))
            return true;
    return false;
}

static void note_strays(Arena *a, const char *dir, const Places *places)
{
    int n;
    const char *const *names = file_list(a, dir, &n);
    for (int i = 0; i < n; ++i)
        if (str_ends(names[i], ".safetensors") && !is_read(places, names[i]))
            note("%s is not part of the checkpoint and is not read", str_join(a, dir, names[i]));
}

// Neither index nor model.safetensors: says what there is instead; returns where there is nothing.
static void refuse_others(Arena *a, const char *dir)
{
    int n;
    const char *const *names = file_list(a, dir, &n);
    for (int i = 0; i < n; ++i)
        if (str_ends(names[i], ".safetensors") && strstr(names[i], "-of-"))
            error_at(loc_file(dir), ERR_SHARD_MISSING, "%s is a shard, but the index %s is missing", names[i],
                     index_name);
    for (int i = 0; i < n; ++i)
        if (str_ends(names[i], ".safetensors"))
            error_at(loc_hint(loc_file(dir), str_format(a, "--weights %s takes it", str_join(a, dir, names[i]))),
                     ERR_FILE_MISSING, "%s is there, but neither %s nor %s", names[i], single_name, index_name);
    for (int i = 0; i < n; ++i)
        if (str_ends(names[i], ".bin") || str_ends(names[i], ".pt") || str_ends(names[i], ".pth"))
            error_at(loc_hint(loc_file(dir), "use the checkpoint's .safetensors, or save it again in that form"),
                     ERR_FILE_KIND, "%s is a pickled checkpoint, which is not read (it may run code): .safetensors are",
                     names[i]);
}

bool safetensors_folder(Arena *a, const char *dir, WeightTensors *out)
{
    const char *index = file_in_folder(a, dir, index_name), *single = index ? NULL : file_in_folder(a, dir, single_name);
    Places places = { 0 };
    if (index) {
        places = read_shards(a, index, out);
    } else if (single) {
        safetensors_file(a, single, out);
        const Placed p = { "", single_name, { 0 } };
        vec_push(a, &places, p);
    } else {
        refuse_others(a, dir);
        return false;
    }
    note_strays(a, dir, &places);
    return true;
}
