// normalizer.c: how tokenizer.json changes a text before it is split, and tokens into text.
#include "rules.h"

static const char blank[] = "\xe2\x96\x81"; // U+2581

static bool has_text(Json part, const char *key, const char *want)
{
    const Json v = json_get(part, key);
    return json_is_string(v) && str_equal(json_string(v), want);
}

// Replace: only of a blank, by what SentencePiece writes for it; the other way in a decoder.
static void check_replace(Json part, const char *from, const char *to)
{
    static const char *const keys[] = { "type", "pattern", "content" };
    vocab_check_keys(part, "Replace", keys, ARRAY_LEN(keys));
    const Json pattern = want_object(part, "pattern");
    if (!has_text(pattern, "String", from) || !has_text(part, "content", to))
        error_at(json_loc(pattern), ERR_TOKENIZER, "Replace: only \"%s\" by \"%s\" is supported", from, to);
}

void rules_read_normalizer(Vocab *v, Json normalizer)
{
    const Parts parts = parts_of(v->arena, normalizer, "normalizers");
    for (int i = 0; i < parts.n; ++i) {
        const Json part = parts.at[i];
        if (type_is(part, "NFC") && !v->prefix && v->letters == LETTERS_PLAIN) {
            v->compose = true;
        } else if (type_is(part, "Prepend") && !v->prefix && has_text(part, "prepend", blank)) {
            v->prefix = PREFIX_EVERY;
        } else if (type_is(part, "Replace")) {
            check_replace(part, " ", blank);
            v->letters = LETTERS_BLANKS;
        } else {
            error_at(loc_hint(json_loc(json_want(part, "type")),
                              "supported: NFC, Prepend and Replace as SentencePiece's blanks need them"),
                     ERR_TOKENIZER, "normalizer \"%s\" is not supported at this place", want_str(part, "type"));
        }
    }
    if (v->prefix && v->letters != LETTERS_BLANKS)
        error_at(json_loc(normalizer), ERR_TOKENIZER, "Prepend without Replace is not supported");
}

static void check_blanks_part(Json part)
{
    if (type_is(part, "Replace"))
        check_replace(part, blank, " ");
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
