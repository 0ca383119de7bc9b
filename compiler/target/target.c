// target.c: find a target by name: a card of the table, an architecture's reference card, the GPU present, or a file.
#include "target.h"

#include "../base/embedded.h"
#include "../base/file.h"

#include <stdio.h>
#include <stdlib.h>

// The cards of gpus/, and the architecture that means the card when it is named alone; 0: none.
// clang-format off
#define CARDS(CARD) \
    CARD("t4", 75) CARD("a100", 80) CARD("rtx-3050", 86) CARD("rtx-3090", 0) CARD("rtx-4090", 89) CARD("h100", 90) \
    CARD("h200", 0) CARD("rtx-5090", 120) CARD("tiny-gpu", 0) CARD("cpu", 0)
// clang-format on

#define CARD_NAME(name, sm) name,
#define CARD_ARCH(name, sm) sm,
static const char *const names[] = { CARDS(CARD_NAME) };
static const int reference_of[] = { CARDS(CARD_ARCH) };
#undef CARD_NAME
#undef CARD_ARCH

const char *const *target_names(int *n)
{
    *n = ARRAY_LEN(names);
    return names;
}

const char *target_reference(int sm)
{
    for (int i = 0; i < ARRAY_LEN(names); ++i)
        if (sm && reference_of[i] == sm)
            return names[i];
    return NULL;
}

const char *target_text(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "compiler/target/gpus/%s.json", name);
    return (const char *)embedded_file(path).at;
}

const char *target_list(Arena *a)
{
    Str list = str_new(a);
    for (int i = 0; i < ARRAY_LEN(names); ++i)
        str_add(&list, "%s%s", i ? " " : "", names[i]);
    return list.text;
}

static Target *load_card(Arena *a, const char *name)
{
    const char *path = str_format(a, "compiler/target/gpus/%s.json", name);
    const Bytes text = embedded_file(path);
    if (!text.at)
        error_at(NOWHERE, ERR_INTERNAL, "%s is not part of this llmc", path);
    return target_parse(a, path, (const char *)text.at, text.bytes);
}

static Target *load_native(Arena *a)
{
    const char *why = NULL;
    Target *t = target_native(a, &why);
    if (!t)
        error_at(NOWHERE, ERR_NO_DEVICE, "--target native: %s; name a target: %s", why, target_list(a));
    note("the GPU present is %s: %d SMs, sm_%d; target %s", t->gpu, t->sms, t->sm, t->name);
    return t;
}

// The other cards of the architecture, for the line that names the user's own.
static const char *others(Arena *a, int sm, const char *but)
{
    Str list = str_new(a);
    for (int i = 0; i < ARRAY_LEN(names); ++i) {
        const Target *t = load_card(a, names[i]);
        if (t->sm == sm && !str_equal(names[i], but) && !str_equal(names[i], "tiny-gpu"))
            str_add(&list, "--target %s, ", names[i]);
    }
    return list.text;
}

static Target *load_arch(Arena *a, const char *name)
{
    char *end;
    const long sm = strtol(name + 3, &end, 10);
    const bool known = *end == 0 && sm > 0 && sm < 1000 && target_smem_max((int)sm);
    if (!known)
        error_at(NOWHERE, ERR_TARGET_UNKNOWN,
                 "unknown architecture \"%s\": sm_75 sm_80 sm_86 sm_89 sm_90 sm_120 have a "
                 "reference card; targets are %s",
                 name, target_list(a));
    const char *why = NULL;
    Target *t = target_native(a, &why);
    if (t && t->sm == sm) {
        note("%s is taken as the GPU present: %s, %d SMs; target %s", name, t->gpu, t->sms, t->name);
        return t;
    }
    const char *card = target_reference((int)sm);
    if (!card)
        error_at(NOWHERE, ERR_TARGET_UNKNOWN,
                 "%s has no reference card here: write the card's facts to a file and give "
                 "--target FILE.json; `llmc targets rtx-3050` shows the form",
                 name);
    t = load_card(a, card);
    note("%s is taken as %s (%s, %d SMs); for another card: %s--target FILE.json", name, card, t->gpu, t->sms,
         others(a, (int)sm, card));
    return t;
}

static _Noreturn void refuse_name(Arena *a, const char *name)
{
    const char *nearest = str_nearest(name, names, ARRAY_LEN(names));
    error_at(NOWHERE, ERR_TARGET_UNKNOWN, "unknown target \"%s\"%s%s; targets are %s, sm_XX, native, or a FILE.json",
             name, nearest ? ": did you mean " : "", nearest ? nearest : "", target_list(a));
}

Target *target_load(Arena *a, const char *name)
{
    if (strchr(name, '/') || str_ends(name, ".json")) {
        const Bytes text = file_read(a, name);
        return target_parse(a, name, (const char *)text.at, text.bytes);
    }
    if (str_equal(name, "native"))
        return load_native(a);
    if (str_starts(name, "sm_"))
        return load_arch(a, name);
    for (int i = 0; i < ARRAY_LEN(names); ++i)
        if (str_equal(names[i], name))
            return load_card(a, name);
    refuse_name(a, name);
}
