// classes.c: which code points are letters, numbers and white space, from utf8proc.
#include "classes.h"

#include "../base/vec.h"

#include <stdbool.h>
#include <utf8proc.h>

typedef struct CodeRange {
    uint32_t first, last;
} CodeRange;

// Letters and numbers of Unicode 15.1 and 16.0. utf8proc 2.8 (Debian 12) ends at 15.0; with these every build splits
// text as Hugging Face's tokenizers 0.23, whose regular expressions know Unicode 16.0.
static const CodeRange newer_letters[] = {
    { 0x01c89, 0x01c8a }, { 0x0a7cb, 0x0a7cd }, { 0x0a7da, 0x0a7dc }, { 0x105c0, 0x105f3 }, { 0x10d4a, 0x10d65 },
    { 0x10d6f, 0x10d85 }, { 0x10ec2, 0x10ec4 }, { 0x11380, 0x11389 }, { 0x1138b, 0x1138b }, { 0x1138e, 0x1138e },
    { 0x11390, 0x113b5 }, { 0x113b7, 0x113b7 }, { 0x113d1, 0x113d1 }, { 0x113d3, 0x113d3 }, { 0x11bc0, 0x11be0 },
    { 0x13460, 0x143fa }, { 0x16100, 0x1611d }, { 0x16d40, 0x16d6c }, { 0x18cff, 0x18cff }, { 0x1e5d0, 0x1e5ed },
    { 0x1e5f0, 0x1e5f0 }, { 0x2ebf0, 0x2ee5d },
};
static const CodeRange newer_numbers[] = {
    { 0x10d40, 0x10d49 }, { 0x116d0, 0x116e3 }, { 0x11bf0, 0x11bf9 }, { 0x16130, 0x16139 },
    { 0x16d70, 0x16d79 }, { 0x1ccf0, 0x1ccf9 }, { 0x1e5f1, 0x1e5fa },
};

// Numbers of Unicode 17.0. SmolLM's step Digits is no regular expression and knows them.
static const CodeRange newest_numbers[] = { { 0x11de0, 0x11de9 }, { 0x16ff4, 0x16ff6 } };

static bool is_in(const CodeRange *ranges, int n, uint32_t code)
{
    for (int i = 0; i < n; ++i)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

// \p{L}, \p{N} and \s of a regular expression with Unicode: \s is Z*, U+0009 to U+000D and U+0085.
static uint32_t class_of(enum PkgPre pre, uint32_t code)
{
    switch (utf8proc_category((utf8proc_int32_t)code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return CLASS_LETTER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return CLASS_NUMBER;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return CLASS_SPACE;
    case UTF8PROC_CATEGORY_CC:
        return (code >= 9 && code <= 13) || code == 0x85 ? CLASS_SPACE : CLASS_OTHER;
    case UTF8PROC_CATEGORY_CN:
        if (is_in(newer_letters, ARRAY_LEN(newer_letters), code))
            return CLASS_LETTER;
        if (is_in(newer_numbers, ARRAY_LEN(newer_numbers), code) ||
            (pre == PKG_PRE_SMOLLM && is_in(newest_numbers, ARRAY_LEN(newest_numbers), code)))
            return CLASS_NUMBER;
        return CLASS_OTHER;
    default:
        return CLASS_OTHER;
    }
}

const uint32_t *classes_runs(Arena *a, enum PkgPre pre, int *n)
{
    VEC(uint32_t) runs = { 0 };
    for (uint32_t code = 0; code < 0x110000; ++code) {
        const uint32_t class = class_of(pre, code);
        if (!runs.n || (runs.at[runs.n - 1] & 3) != class)
            vec_push(a, &runs, code << 2 | class);
    }
    *n = runs.n;
    return runs.at;
}
