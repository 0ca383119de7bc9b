// disguise.c: files that are not what their name says.
#include "disguise.h"

#include "diag.h"
#include "str.h"
#include "vec.h"
#include "../../runtime/package.h"

#include <string.h>
#include <strings.h>

static bool begins(Bytes b, const char *with)
{
    const size_t n = strlen(with);
    return b.bytes >= n && strncasecmp((const char *)b.at, with, n) == 0;
}

void disguise_refuse(const char *path, Bytes b, const char *want)
{
    const Loc at = loc_file(path);
    if (b.bytes == 0)
        error_at(at, ERR_FILE_KIND, "the file is empty, %s was expected", want);
    if (begins(b, "version https://git-lfs.github.com/spec/"))
        error_at(loc_hint(at, "fetch the file itself: git lfs pull"), ERR_FILE_KIND,
                 "this is a Git LFS pointer, %s was expected", want);
    if (begins(b, "PK\003\004"))
        error_at(at, ERR_FILE_KIND, "this is a zip archive (a pickled PyTorch checkpoint is one), %s was expected",
                 want);
    if (b.bytes >= 4 && memcmp(b.at, "\177ELF", 4) == 0)
        error_at(loc_hint(at, "`llmc verify` checks a program"), ERR_FILE_KIND, "this is a program, %s was expected", want);
    if (begins(b, WEIGHTS_MAGIC))
        error_at(at, ERR_FILE_KIND, "these are weights packed by llmc, %s was expected", want);
    size_t space = 0;
    while (space < b.bytes && space < 64 && strchr(" \t\r\n", b.at[space]) && b.at[space])
        ++space;
    const Bytes text = { b.at + space, b.bytes - space };
    if (begins(text, "<!doctype html") || begins(text, "<html") || begins(text, "<head"))
        error_at(at, ERR_FILE_KIND, "this is an HTML page, %s was expected", want);
}

// The first key that is there tells the kind.
static const struct {
    const char *key, *kind, *hint;
} kinds[] = {
    { "llmc_plan", "a plan of llmc", "--plan takes it, `llmc verify` proves it" },
    { "llmc_report", "a report of llmc", NULL },
    { "smem_block_bytes", "the description of a GPU", "--target takes it" },
    { "weight_map", "the index of a checkpoint's shards", "the folder that holds it is the model" },
    { "peft_type", "the config of a LoRA adapter", NULL },
    { "hidden_size", "a config.json", "it is the MODEL of `llmc compile MODEL --target T`" },
    { "architectures", "a config.json", "it is the MODEL of `llmc compile MODEL --target T`" },
    { "added_tokens", "a tokenizer.json", "the folder that holds it is the model" },
    { "tokenizer_class", "a tokenizer_config.json", "the folder that holds it is the model" },
    { "transformers_version", "a generation_config.json", "the folder that holds it is the model" },
};

void disguise_refuse_json(Json root, const char *want)
{
    int i = 0;
    while (i < ARRAY_LEN(kinds) && !json_get(root, kinds[i].key).node)
        ++i;
    if (i < ARRAY_LEN(kinds) && !str_equal(kinds[i].kind, want))
        error_at(loc_hint(loc_file(json_loc(root).file), kinds[i].hint), ERR_FILE_KIND, "this is %s, %s was expected",
                 kinds[i].kind, want);
}
