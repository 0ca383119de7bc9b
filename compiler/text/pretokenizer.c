// pretokenizer.c: how tokenizer.json splits a text into words.
#include "presets.h"
#include "rules.h"

#include <string.h>

static const char supported[] = "supported: BertPreTokenizer ByteLevel CharDelimiterSplit Digits Metaspace Punctuation Split Whitespace WhitespaceSplit";

typedef struct Behaviour {
    const char *name;
    bool invert;
    enum PkgBehaviour is;
} Behaviour;

static const Behaviour behaviours[] = {
    { "Isolated", false, PKG_ISOLATED },
    { "Isolated", true, PKG_ISOLATED }, // the pieces are the same
    { "Removed", false, PKG_REMOVED },
    { "Removed", true, PKG_KEPT },
    { "MergedWithPrevious", false, PKG_TO_LEFT },
    { "MergedWithNext", false, PKG_TO_RIGHT },
    { "Contiguous", false, PKG_JOINED },
};

// `name`: of the member; absent: Isolated.
static enum PkgBehaviour read_behaviour(Json step, bool invert)
{
    const char *name = json_str_or(step, "behavior", "Isolated");
    for (int i = 0; i < ARRAY_LEN(behaviours); ++i)
        if (str_equal(name, behaviours[i].name) && invert == behaviours[i].invert)
            return behaviours[i].is;
    error_at(json_loc(json_want(step, "behavior")), ERR_PRE_TOKENIZER, "behavior \"%s\"%s is not supported", name,
             invert ? ", inverted," : "");
}

static void check_step(Json at, const char *wrong)
{
    if (wrong)
        error_at(json_loc(at), ERR_PRE_TOKENIZER, "%s", wrong);
}

static void add_set(Vocab *v, Json at, enum PkgBehaviour behaviour, CharSet set)
{
    check_step(at, vocab_add_step_at(v, behaviour, regex_add_set(v->regexes, set)));
}

// A prefix for whole sections: no step has split them yet.
static void set_prefix(Vocab *v, Json at, uint32_t prefix)
{
    if (v->steps.n || v->prefix)
        error_at(json_loc(at), ERR_PRE_TOKENIZER,
                 "a blank in front of every piece is supported in the first step only");
    v->prefix = prefix;
}

static void read_byte_level(Vocab *v, Json step)
{
    static const char *const keys[] = { "type", "add_prefix_space", "trim_offsets", "use_regex" };
    vocab_check_keys(step, "ByteLevel", keys, ARRAY_LEN(keys));
    if (want_bool(step, "add_prefix_space"))
        set_prefix(v, step, PREFIX_EVERY | PREFIX_LATE | PREFIX_NOT_BLANK);
    if (json_bool_or(step, "use_regex", true))
        check_step(step, vocab_add_step(v, PKG_ISOLATED, rule_gpt2, strlen(rule_gpt2), DIALECT_ONIGURUMA));
}

static void read_digits(Vocab *v, Json step)
{
    static const char *const keys[] = { "type", "individual_digits" };
    vocab_check_keys(step, "Digits", keys, ARRAY_LEN(keys));
    add_set(v, step, json_bool_or(step, "individual_digits", false) ? PKG_ISOLATED : PKG_JOINED, rule_digits(v));
}

static void read_punctuation(Vocab *v, Json step)
{
    static const char *const keys[] = { "type", "behavior" };
    vocab_check_keys(step, "Punctuation", keys, ARRAY_LEN(keys));
    add_set(v, step, read_behaviour(step, false), rule_punctuation(v));
}

static void read_whitespace_split(Vocab *v, Json step)
{
    static const char *const keys[] = { "type" };
    vocab_check_keys(step, "WhitespaceSplit", keys, ARRAY_LEN(keys));
    add_set(v, step, PKG_REMOVED, charset_space(v->arena));
}

// Words of \w, and what stands between them and is no white space.
static void read_whitespace(Vocab *v, Json step)
{
    static const char *const keys[] = { "type" };
    vocab_check_keys(step, "Whitespace", keys, ARRAY_LEN(keys));
    const CharSet word = charset_word(v->regexes->unicode);
    CharSet others = charset_space(v->arena);
    add_set(v, step, PKG_REMOVED, others);
    charset_unite(v->arena, &others, word);
    add_set(v, step, PKG_JOINED, charset_inverse(v->arena, others));
}

static void read_bert(Vocab *v, Json step)
{
    static const char *const keys[] = { "type" };
    vocab_check_keys(step, "BertPreTokenizer", keys, ARRAY_LEN(keys));
    add_set(v, step, PKG_REMOVED, charset_space(v->arena));
    add_set(v, step, PKG_ISOLATED, rule_punctuation(v));
}

static void read_char_delimiter(Vocab *v, Json step)
{
    static const char *const keys[] = { "type", "delimiter" };
    vocab_check_keys(step, "CharDelimiterSplit", keys, ARRAY_LEN(keys));
    const char *text = want_str(step, "delimiter");
    if (!*text)
        error_at(json_loc(json_get(step, "delimiter")), ERR_PRE_TOKENIZER, "a text that is split by nothing");
    check_step(step, vocab_add_step_at(v, PKG_REMOVED, regex_add_literal(v->regexes, text, strlen(text))));
}

static void read_split(Vocab *v, Json step)
{
    static const char *const keys[] = { "type", "pattern", "behavior", "invert" };
    vocab_check_keys(step, "Split", keys, ARRAY_LEN(keys));
    const enum PkgBehaviour behaviour = read_behaviour(step, json_bool_or(step, "invert", false));
    const Json pattern = want_object(step, "pattern"), regex = json_get(pattern, "Regex");
    if (regex.node) {
        const char *text = json_string(regex);
        const char *wrong = vocab_add_step(v, behaviour, text, strlen(text), DIALECT_ONIGURUMA);
        if (wrong)
            error_at(json_loc(regex), ERR_PRE_TOKENIZER, "pre-tokenizer regex \"%.300s\": %s", text, wrong);
        return;
    }
    const Json literal = json_want(pattern, "String");
    const char *text = json_string(literal);
    if (!*text)
        error_at(json_loc(literal), ERR_PRE_TOKENIZER, "a text that is split by nothing");
    check_step(step, vocab_add_step_at(v, behaviour, regex_add_literal(v->regexes, text, strlen(text))));
}

// The normalizer has written U+2581 for every blank: the pattern " " finds nothing, and others would have to be
// rewritten.
static void check_split_of_blanks(Json step)
{
    const Json text = json_get(json_get(step, "pattern"), "String");
    if (!json_is_string(text) || !str_equal(json_string(text), " "))
        error_at(json_loc(step), ERR_PRE_TOKENIZER,
                 "a step behind the normalizer Replace is supported if it splits at \" \" only");
}

static void read_metaspace(Vocab *v, Json step)
{
    static const char *const keys[] = {
        "type", "replacement", "prepend_scheme", "add_prefix_space", "split", "str_rep"
    };
    vocab_check_keys(step, "Metaspace", keys, ARRAY_LEN(keys));
    if (!str_equal(json_str_or(step, "replacement", "\xe2\x96\x81"), "\xe2\x96\x81"))
        error_at(json_loc(json_get(step, "replacement")), ERR_PRE_TOKENIZER,
                 "replacement of Metaspace: only U+2581 is supported");
    const char *scheme =
        json_str_or(step, "prepend_scheme", json_bool_or(step, "add_prefix_space", true) ? "always" : "never");
    if (str_equal(scheme, "always") || str_equal(scheme, "first"))
        set_prefix(v, step,
                   (str_equal(scheme, "first") ? PREFIX_FIRST : PREFIX_EVERY) | PREFIX_LATE | PREFIX_NOT_BLANK);
    else if (!str_equal(scheme, "never"))
        error_at(json_loc(json_get(step, "prepend_scheme")), ERR_PRE_TOKENIZER, "unknown prepend_scheme \"%s\"",
                 scheme);
    if (v->steps.n)
        error_at(json_loc(step), ERR_PRE_TOKENIZER, "Metaspace is supported as the first step only");
    v->letters = LETTERS_BLANKS;
    if (json_bool_or(step, "split", true))
        check_step(step, vocab_add_step_at(v, PKG_TO_RIGHT, regex_add_literal(v->regexes, " ", 1)));
}

typedef struct Reader {
    const char *type;
    void (*read)(Vocab *v, Json step);
} Reader;

static const Reader readers[] = {
    { "ByteLevel", read_byte_level }, { "Digits", read_digits },       { "Punctuation", read_punctuation },
    { "Split", read_split },          { "Metaspace", read_metaspace }, { "WhitespaceSplit", read_whitespace_split },
    { "Whitespace", read_whitespace }, { "BertPreTokenizer", read_bert }, { "CharDelimiterSplit", read_char_delimiter },
};

void rules_read_pre(Vocab *v, Json pre)
{
    const Parts parts = parts_of(v->arena, pre, "pretokenizers");
    for (int i = 0; i < parts.n; ++i) {
        const Json step = parts.at[i];
        const bool replaced = v->letters == LETTERS_BLANKS;
        int r = 0;
        while (r < ARRAY_LEN(readers) && !type_is(step, readers[r].type))
            ++r;
        if (r == ARRAY_LEN(readers))
            error_at(loc_hint(json_loc(json_want(step, "type")), supported), ERR_PRE_TOKENIZER,
                     "unknown pre-tokenizer \"%s\"", want_str(step, "type"));
        if (v->letters == LETTERS_BYTE_LEVEL)
            error_at(json_loc(step), ERR_PRE_TOKENIZER,
                     "pre-tokenizer \"%s\" behind ByteLevel: ByteLevel must be the last step", want_str(step, "type"));
        if (type_is(step, "ByteLevel"))
            v->letters = LETTERS_BYTE_LEVEL;
        if (replaced)
            check_split_of_blanks(step);
        else
            readers[r].read(v, step);
    }
}
