// regex.c: what expressions match, in each behaviour of a step, and which are refused.
#include "view.h"

#include "../../compiler/text/vocab.h"
#include "../../runtime/words.h"

#include <string.h>

typedef struct Case {
    enum PkgBehaviour behaviour;
    const char *pattern, *text, *words; // "|" between words; what is left out shows as "..."
} Case;

static const Case cases[] = {
    { PKG_ISOLATED, "b+", "abba", "a|bb|a" },
    { PKG_ISOLATED, "a|ab|abc", "abc", "a|bc" }, // the first that matches, not the longest
    { PKG_ISOLATED, "abc|ab", "ababc", "ab|abc" },
    { PKG_ISOLATED, "a+?b?", "aab", "a|ab" }, // as few as will do
    { PKG_ISOLATED, "a{2,3}", "aaaaaaa", "aaa|aaa|a" },
    { PKG_ISOLATED, "a{2,3}?", "aaaaaaa", "aa|aa|aa|a" },
    { PKG_ISOLATED, "a{2}b{1,}", "aabbaab", "aabb|aab" },
    { PKG_ISOLATED, "(ab)*c", "ababcabd", "ababc|abd" },
    { PKG_ISOLATED, "a++a|b", "aaab", "aaa|b" }, // gives nothing back
    { PKG_ISOLATED, "a+a", "aaab", "aaa|b" },
    { PKG_ISOLATED, "a?+ab", "aababaab", "aab|ab|aab" },
    { PKG_ISOLATED, "x{1,2}+x", "xxxxy", "xxxx|y" },   // Oniguruma's (x{1,2})+
    { PKG_ISOLATED, "x{2}?y", "xxyxyy", "xxy|x|y|y" }, // and (x{2})?
    { PKG_ISOLATED, "a(?=b)", "abac", "a|bac" },
    { PKG_ISOLATED, "a(?!b)", "abaca", "ab|a|c|a" },
    { PKG_ISOLATED, "\\s+(?!\\S)|\\s+", "a   b ", "a|  | |b| " },
    { PKG_ISOLATED, "a$", "aaa", "aa|a" },
    { PKG_ISOLATED, "a$", "a\naa", "a|\na|a" }, // Oniguruma's $
    { PKG_ISOLATED, ".+", "ab\ncd", "ab|\n|cd" },
    { PKG_ISOLATED, "[^a-c\\d]+", "axy1zb", "a|xy|1|z|b" },
    { PKG_ISOLATED, "[]x]+", "a]x]b", "a|]x]|b" },
    { PKG_ISOLATED, "[a-]+", "b-a-b", "b|-a-|b" },
    { PKG_ISOLATED, "[\\]\\-\\\\]+", "a]-\\b", "a|]-\\|b" },
    { PKG_ISOLATED, "(?i:s|ll)", "SLLlLx\xc5\xbf", "S|LL|lL|x|\xc5\xbf" },
    { PKG_ISOLATED, "(?i:[a-c]x)z", "aXzAxzCXZ", "aXz|Axz|CXZ" },
    { PKG_ISOLATED, "\\p{Lu}\\p{Ll}*", "AbcDEf", "Abc|D|Ef" },
    { PKG_ISOLATED, "\\P{L}+|\\p{^Ll}", "a12Bc", "a|12|B|c" },
    { PKG_ISOLATED, "\\x41\\x{42}\\u0043", "xABCx", "x|ABC|x" },
    { PKG_ISOLATED, "[\xc3\xa0-\xc3\xbf]+", "x\xc3\xa9\xc3\xa8y", "x|\xc3\xa9\xc3\xa8|y" },
    { PKG_ISOLATED, "(?:(?:a|b)c)+d|a", "acbcdacb", "acbcd|a|cb" },
    { PKG_KEPT, "b+", "abbacb", "...|bb|...|b" },
    { PKG_REMOVED, "b+", "abbacb", "a|...|ac" },
    { PKG_REMOVED, "b", "bbabb", "...|a" },
    { PKG_TO_LEFT, "b", "abbcb", "ab|b|cb" },
    { PKG_TO_RIGHT, "b", "abbcb", "a|b|bc|b" },
    { PKG_JOINED, "b", "abbcb", "a|bb|c|b" },
    { PKG_JOINED, "b", "bb", "bb" },
};

static const Case refused[] = {
    { PKG_ISOLATED, "a*", NULL, "it can match nothing" },
    { PKG_ISOLATED, "a|", NULL, "it can match nothing" },
    { PKG_ISOLATED, "", NULL, "it can match nothing" },
    { PKG_ISOLATED, "(?=a)", NULL, "it can match nothing" },
    { PKG_ISOLATED, "(a", NULL, ") is missing at byte 2" },
    { PKG_ISOLATED, "a)", NULL, ") without ( at byte 1" },
    { PKG_ISOLATED, "[a", NULL, "the expression ends, or is no UTF-8, at byte 2" },
    { PKG_ISOLATED, "[b-a]", NULL, "a range that does not ascend at byte 4" },
    { PKG_ISOLATED, "\\w+", NULL, "\\w is not supported at byte 2" },
    { PKG_ISOLATED, "a\\b", NULL, "\\b is not supported at byte 3" },
    { PKG_ISOLATED, "(a)\\1", NULL, "\\1 is not supported at byte 5" },
    { PKG_ISOLATED, "\\p{Han}", NULL, "unknown property \"Han\" at byte 3" },
    { PKG_ISOLATED, "^a", NULL, "^ is not supported at byte 0" },
    { PKG_ISOLATED, "*a", NULL, "* is not supported at byte 0" },
    { PKG_ISOLATED, "a**", NULL, "* is not supported at byte 2" },
    { PKG_ISOLATED, "(?<=a)b", NULL, "this kind of group is not supported at byte 1" },
    { PKG_ISOLATED, "a(?=bc)", NULL, "looking ahead over more than one character is not supported at byte 6" },
    { PKG_ISOLATED, "(ab)++", NULL, "a possessive quantifier of more than one character is not supported at byte 6" },
    { PKG_ISOLATED, "(?i:\xc3\xa9)", NULL, "a letter beyond ASCII without regard to case is not supported at byte 6" },
    { PKG_ISOLATED, "a{3,2}", NULL, "counts that are not supported at byte 6" },
    { PKG_ISOLATED, "a{5000}", NULL, "counts that are not supported at byte 7" },
    { PKG_ISOLATED, "((((a{1000}){1000}){1000}){1000})", NULL, "it is too large" },
    { PKG_ISOLATED, "[a&&b]", NULL, "sets inside a set are not supported at byte 2" },
};

static const char *split(Arena *a, const Case *c)
{
    Vocab *v = vocab_new(a, "regex", 2, 2);
    Tokenizer tables;
    TokenizerView view;
    vocab_add(v, 0, (VocabToken){ .text = "a", .bytes = 1, .in_model = true });
    const char *wrong = vocab_add_step(v, c->behaviour, c->pattern, strlen(c->pattern), DIALECT_ONIGURUMA);
    if (wrong)
        return wrong;
    vocab_write_tables(v, &tables);
    if (!tokenizer_open(&view, tables.tables, tables.bytes))
        return "the tables are refused";
    Str out = str_new(a);
    Words w = words_of(&view, (const uint8_t *)c->text, strlen(c->text));
    for (size_t at = 0; words_next(&w); at = w.to) {
        str_add(&out, at ? "|" : "");
        str_add(&out, w.from > at ? "...|" : "");
        str_add_bytes(&out, c->text + w.from, w.to - w.from);
    }
    return out.text;
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        Arena *a = arena_new();
        ASSERT_STR(cases[i].words, split(a, &cases[i]));
        arena_free(a);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        Arena *a = arena_new();
        ASSERT_STR(refused[i].words, split(a, &refused[i]));
        arena_free(a);
    }
    return test_failed;
}
