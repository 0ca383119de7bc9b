// normalizer.c: how tokenizer.json changes a text before it is split, and tokens into text.
#include "rules.h"

#include <string.h>
#include <utf8proc.h>

static const char blank[] = "\xe2\x96\x81"; // U+2581

static bool has_text(Json part, const char *key, const char *want)
{
    const Json v = json_get(part, key);
    return json_is_string(v) && str_equal(json_string(v), want);
}

// ---- the steps of a normalizer ------------------------------------------------------------------------------------

static const char supported[] = "supported: NFC NFD NFKC NFKD Lowercase StripAccents Strip Nmt, Replace of one character, Prepend and "
                                "Replace as SentencePiece's blanks need them, in this order";

// A normalizer while it is read. The program strips, makes a form, strips, rewrites characters, and then writes blanks.
typedef struct Reading {
    Vocab *v;
    Mapping *map;     // NULL: nothing is rewritten yet
    bool only_letters; // what is rewritten makes and takes no white space, so that it may be stripped before as well
} Reading;

typedef bool ReadStep(Reading *r, Json step);

static void check_type_alone(Json step)
{
    static const char *const keys[] = { "type" };
    vocab_check_keys(step, want_str(step, "type"), keys, ARRAY_LEN(keys));
}

static bool read_form(Reading *r, Json step)
{
    static const char *const names[] = { [FORM_NFC] = "NFC", [FORM_NFD] = "NFD", [FORM_NFKC] = "NFKC", [FORM_NFKD] = "NFKD" };
    check_type_alone(step);
    if (r->v->form || r->map || r->v->strips & (STRIP_LATE_LEFT | STRIP_LATE_RIGHT))
        return false;
    for (int form = FORM_NFC; form <= FORM_NFKD; ++form)
        if (type_is(step, names[form]))
            r->v->form = (Form)form;
    return true;
}

static bool read_strip(Reading *r, Json step)
{
    static const char *const keys[] = { "type", "strip_left", "strip_right" };
    vocab_check_keys(step, "Strip", keys, ARRAY_LEN(keys));
    const bool left = want_bool(step, "strip_left"), right = want_bool(step, "strip_right"), late = r->v->form || r->map;
    if (r->map && !r->only_letters)
        return false;
    r->v->strips |= (left ? late ? STRIP_LATE_LEFT : STRIP_LEFT : 0u) | (right ? late ? STRIP_LATE_RIGHT : STRIP_RIGHT : 0u);
    return true;
}

static Mapping *want_map(Reading *r, bool letters)
{
    if (!r->map) {
        r->map = mapping_new(r->v->regexes->unicode);
        r->only_letters = true;
    }
    r->only_letters &= letters;
    return r->map;
}

static bool read_lowercase(Reading *r, Json step)
{
    check_type_alone(step);
    mapping_lowercase(want_map(r, true));
    return true;
}

static bool read_strip_accents(Reading *r, Json step)
{
    check_type_alone(step);
    mapping_strip_accents(want_map(r, false));
    return true;
}

static bool read_nmt(Reading *r, Json step)
{
    check_type_alone(step);
    mapping_nmt(want_map(r, false));
    return true;
}

static bool read_prepend(Reading *r, Json step)
{
    if (r->map || !has_text(step, "prepend", blank))
        return false;
    r->v->prefix = PREFIX_EVERY;
    r->v->prepends = true;
    return true;
}

// Of a blank by SentencePiece's, or of any one character.
static bool read_replace(Reading *r, Json step)
{
    static const char *const keys[] = { "type", "pattern", "content" };
    vocab_check_keys(step, "Replace", keys, ARRAY_LEN(keys));
    const Json pattern = json_get(want_object(step, "pattern"), "String");
    const char *from = json_is_string(pattern) ? json_string(pattern) : "";
    const utf8proc_ssize_t bytes = (utf8proc_ssize_t)strlen(from);
    utf8proc_int32_t code = 0;
    if (!bytes || utf8proc_iterate((const uint8_t *)from, bytes, &code) != bytes)
        error_at(json_loc(want_object(step, "pattern")), ERR_TOKENIZER, "Replace of anything but one character is not supported");
    if (code == ' ' && has_text(step, "content", blank))
        r->v->letters = LETTERS_BLANKS;
    else
        mapping_replace(want_map(r, false), (uint32_t)code, want_str(step, "content"));
    return true;
}

static const struct {
    const char *type;
    ReadStep *read;
} steps[] = {
    { "NFC", read_form },           { "NFD", read_form },  { "NFKC", read_form },    { "NFKD", read_form },
    { "Strip", read_strip },        { "Nmt", read_nmt },   { "Prepend", read_prepend }, { "Replace", read_replace },
    { "Lowercase", read_lowercase }, { "StripAccents", read_strip_accents },
};

// Behind SentencePiece's blanks, and the one in front, nothing is rewritten any more.
static bool read_step(Reading *r, Json step)
{
    const Vocab *v = r->v;
    if (v->letters == LETTERS_BLANKS || (v->prefix && !type_is(step, "Replace")))
        return type_is(step, "Prepend") && !v->prefix && read_prepend(r, step);
    for (int i = 0; i < ARRAY_LEN(steps); ++i)
        if (type_is(step, steps[i].type))
            return steps[i].read(r, step);
    return false;
}

void rules_read_normalizer(Vocab *v, Json normalizer)
{
    const Parts parts = parts_of(v->arena, normalizer, "normalizers");
    Reading r = { .v = v };
    for (int i = 0; i < parts.n; ++i)
        if (!read_step(&r, parts.at[i]))
            error_at(loc_hint(json_loc(json_want(parts.at[i], "type")), supported), ERR_TOKENIZER,
                     "normalizer \"%s\" is not supported at this place", want_str(parts.at[i], "type"));
    if (v->prefix && v->letters != LETTERS_BLANKS)
        error_at(json_loc(normalizer), ERR_TOKENIZER, "Prepend without Replace is not supported");
    v->mapping = r.map;
    const char *wrong = r.map ? mapping_finish(r.map, &v->map) : NULL;
    if (wrong)
        error_at(json_loc(normalizer), ERR_TOKENIZER, "%s", wrong);
}

// ---- decoders ----------------------------------------------------------------------------------------------------

// The other way in a decoder: a blank for what SentencePiece writes for it.
static void check_replace(Json part)
{
    static const char *const keys[] = { "type", "pattern", "content" };
    vocab_check_keys(part, "Replace", keys, ARRAY_LEN(keys));
    const Json pattern = want_object(part, "pattern");
    if (!has_text(pattern, "String", blank) || !has_text(part, "content", " "))
        error_at(json_loc(pattern), ERR_TOKENIZER, "Replace: only \"%s\" by \" \" is supported", blank);
}

static void check_blanks_part(Json part)
{
    if (type_is(part, "Replace"))
        check_replace(part);
    else if (type_is(part, "Strip") ? !has_text(part, "content", " ") : !type_is(part, "Metaspace"))
        error_at(json_loc(json_want(part, "type")), ERR_TOKENIZER,
                 "decoder \"%s\" is not supported with SentencePiece's blanks", want_str(part, "type"));
}

void rules_check_decoder(const Vocab *v, Json decoder)
{
    const Parts parts = parts_of(v->arena, decoder, "decoders");
    for (int i = 0; i < parts.n; ++i) {
        const Json part = parts.at[i];
        if (v->letters == LETTERS_BYTE_LEVEL ? type_is(part, "ByteLevel")
                                             : type_is(part, "ByteFallback") || type_is(part, "Fuse"))
            continue;
        if (v->letters == LETTERS_BLANKS)
            check_blanks_part(part);
        else
            error_at(json_loc(json_want(part, "type")), ERR_TOKENIZER, "decoder \"%s\": only %s supported with %s",
                     want_str(part, "type"),
                     v->letters == LETTERS_BYTE_LEVEL ? "ByteLevel is" : "ByteFallback and Fuse are",
                     v->letters == LETTERS_BYTE_LEVEL ? "a byte-level BPE" : "a BPE of characters");
    }
}
