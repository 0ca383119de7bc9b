// charset.c: sets of code points.
#include "charset.h"

#include <string.h>
#include <utf8proc.h>

void charset_add(Arena *a, CharSet *set, uint32_t first, uint32_t last)
{
    CodeRange both = { first, last }, *at = set->ranges.at;
    int from = 0, to;
    while (from < set->ranges.n && at[from].last + 1 < first)
        ++from;
    for (to = from; to < set->ranges.n && at[to].first <= last + 1; ++to) { // [from, to) meet the new one
        both.first = at[to].first < both.first ? at[to].first : both.first;
        both.last = at[to].last > both.last ? at[to].last : both.last;
    }
    if (from == to) {
        vec_push(a, &set->ranges, both);
        memmove(&set->ranges.at[from + 1], &set->ranges.at[from], (size_t)(set->ranges.n - 1 - from) * sizeof both);
    } else {
        memmove(&at[from + 1], &at[to], (size_t)(set->ranges.n - to) * sizeof both);
        set->ranges.n -= to - from - 1;
    }
    set->ranges.at[from] = both;
}

void charset_unite(Arena *a, CharSet *set, CharSet other)
{
    CharSet made = { 0 };
    const CodeRange *x = set->ranges.at, *y = other.ranges.at;
    const CodeRange *x_end = x + set->ranges.n, *y_end = y + other.ranges.n;
    while (x < x_end || y < y_end) {
        const CodeRange next = y == y_end || (x < x_end && x->first <= y->first) ? *x++ : *y++;
        CodeRange *last = made.ranges.n ? &made.ranges.at[made.ranges.n - 1] : NULL;
        if (last && next.first <= last->last + 1)
            last->last = next.last > last->last ? next.last : last->last;
        else
            vec_push(a, &made.ranges, next);
    }
    *set = made;
}

CharSet charset_inverse(Arena *a, CharSet set)
{
    CharSet made = { 0 };
    uint32_t first = 0;
    for (int i = 0; i < set.ranges.n; ++i) {
        const CodeRange gap = { first, set.ranges.at[i].first - 1 };
        if (set.ranges.at[i].first > first)
            vec_push(a, &made.ranges, gap);
        first = set.ranges.at[i].last + 1;
    }
    const CodeRange gap = { first, CODE_POINTS - 1 };
    if (first < CODE_POINTS)
        vec_push(a, &made.ranges, gap);
    return made;
}

bool charset_equal(CharSet x, CharSet y)
{
    return x.ranges.n == y.ranges.n &&
           (!x.ranges.n || memcmp(x.ranges.at, y.ranges.at, (size_t)x.ranges.n * sizeof *x.ranges.at) == 0);
}

typedef struct Name {
    const char *name;
    int first, last; // of the categories; utf8proc numbers those of one group in a row
} Name;

static const Name names[] = {
    { "L", UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO },  { "Lu", UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LU },
    { "Ll", UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LL }, { "Lt", UTF8PROC_CATEGORY_LT, UTF8PROC_CATEGORY_LT },
    { "Lm", UTF8PROC_CATEGORY_LM, UTF8PROC_CATEGORY_LM }, { "Lo", UTF8PROC_CATEGORY_LO, UTF8PROC_CATEGORY_LO },
    { "M", UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME },  { "Mn", UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MN },
    { "Mc", UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_MC }, { "Me", UTF8PROC_CATEGORY_ME, UTF8PROC_CATEGORY_ME },
    { "N", UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO },  { "Nd", UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_ND },
    { "Nl", UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NL }, { "No", UTF8PROC_CATEGORY_NO, UTF8PROC_CATEGORY_NO },
    { "P", UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO },  { "Pc", UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PC },
    { "Pd", UTF8PROC_CATEGORY_PD, UTF8PROC_CATEGORY_PD }, { "Ps", UTF8PROC_CATEGORY_PS, UTF8PROC_CATEGORY_PS },
    { "Pe", UTF8PROC_CATEGORY_PE, UTF8PROC_CATEGORY_PE }, { "Pi", UTF8PROC_CATEGORY_PI, UTF8PROC_CATEGORY_PI },
    { "Pf", UTF8PROC_CATEGORY_PF, UTF8PROC_CATEGORY_PF }, { "Po", UTF8PROC_CATEGORY_PO, UTF8PROC_CATEGORY_PO },
    { "S", UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO },  { "Sm", UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SM },
    { "Sc", UTF8PROC_CATEGORY_SC, UTF8PROC_CATEGORY_SC }, { "Sk", UTF8PROC_CATEGORY_SK, UTF8PROC_CATEGORY_SK },
    { "So", UTF8PROC_CATEGORY_SO, UTF8PROC_CATEGORY_SO }, { "Z", UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZP },
    { "Zs", UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZS }, { "Cc", UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CC },
};

bool charset_named(const Unicode *u, const char *name, size_t bytes, CharSet *set)
{
    for (int i = 0; i < ARRAY_LEN(names); ++i) {
        if (strlen(names[i].name) != bytes || memcmp(names[i].name, name, bytes) != 0)
            continue;
        *set = (CharSet){ 0 };
        for (int r = 0; r < u->runs.n; ++r) {
            const CategoryRun run = u->runs.at[r];
            const uint32_t end = r + 1 < u->runs.n ? u->runs.at[r + 1].first : CODE_POINTS;
            const CodeRange range = { run.first, end - 1 };
            CodeRange *last = set->ranges.n ? &set->ranges.at[set->ranges.n - 1] : NULL;
            if (run.category < names[i].first || run.category > names[i].last)
                continue;
            if (last && last->last + 1 == run.first)
                last->last = range.last;
            else
                vec_push(u->arena, &set->ranges, range);
        }
        return true;
    }
    return false;
}

CharSet charset_space(Arena *a)
{
    static const CodeRange spaces[] = { { 9, 13 },          { ' ', ' ' },       { 0x85, 0x85 },     { 0xa0, 0xa0 },
                                        { 0x1680, 0x1680 }, { 0x2000, 0x200a }, { 0x2028, 0x2029 }, { 0x202f, 0x202f },
                                        { 0x205f, 0x205f }, { 0x3000, 0x3000 } };
    CharSet set = { 0 };
    for (int i = 0; i < ARRAY_LEN(spaces); ++i)
        vec_push(a, &set.ranges, spaces[i]);
    return set;
}

CharSet charset_word(const Unicode *u)
{
    static const char *const groups[] = { "L", "M", "Nd", "Nl", "Pc" };
    static const CodeRange others[] = { { 0x200c, 0x200d }, { 0x24b6, 0x24e9 }, { 0x1f130, 0x1f149 }, { 0x1f150, 0x1f169 }, { 0x1f170, 0x1f189 } };
    CharSet set = { 0 }, more;
    for (int i = 0; i < ARRAY_LEN(groups); ++i)
        if (charset_named(u, groups[i], strlen(groups[i]), &more))
            charset_unite(u->arena, &set, more);
    for (int i = 0; i < ARRAY_LEN(others); ++i)
        charset_add(u->arena, &set, others[i].first, others[i].last);
    return set;
}

bool charset_has(CharSet set, uint32_t code)
{
    int low = 0, high = set.ranges.n; // the first range that ends at or behind the code point is in [low, high]
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (set.ranges.at[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set.ranges.n && set.ranges.at[low].first <= code;
}

bool charset_fold(const Unicode *u, CharSet *set)
{
    CharSet letters;
    charset_named(u, "L", 1, &letters);
    for (int i = 0; i < set->ranges.n; ++i)
        for (uint32_t code = set->ranges.at[i].first; code <= set->ranges.at[i].last; ++code)
            if (code >= 128 && charset_has(letters, code))
                return false;
    bool given[26];
    for (uint32_t i = 0; i < 26; ++i)
        given[i] = charset_has(*set, 'a' + i) || charset_has(*set, 'A' + i);
    for (uint32_t i = 0; i < 26; ++i) {
        if (!given[i])
            continue;
        charset_add(u->arena, set, 'a' + i, 'a' + i);
        charset_add(u->arena, set, 'A' + i, 'A' + i);
        if (i == 's' - 'a' || i == 'k' - 'a')
            charset_add(u->arena, set, i == 's' - 'a' ? 0x17f : 0x212a, i == 's' - 'a' ? 0x17f : 0x212a);
    }
    return true;
}
