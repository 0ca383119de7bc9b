// template_case.c: upper and lower case, and what can be printed, as Python's strings know it.
#include "template_vm.h"
#include "template_tables.h"

#include <string.h>

#define LEN(array) (sizeof(array) / sizeof *(array))

static uint32_t moved(const CaseRun *runs, size_t n, uint32_t code)
{
    size_t low = 0, high = n; // runs are in order of `first`; those of step 2 may lie inside each other
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (runs[middle].first <= code)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t back = 0; back < 4 && back < low; ++back) {
        const CaseRun *r = &runs[low - 1 - back];
        if (code <= r->last && (code - r->first) % (uint32_t)r->step == 0)
            return code + (uint32_t)r->far;
    }
    return code;
}

static const uint32_t *special(const CaseSpecial *list, size_t n, uint32_t code)
{
    for (size_t i = 0; i < n && list[i].code <= code; ++i)
        if (list[i].code == code)
            return list[i].to;
    return NULL;
}

// Up to three code points in `to`, 0 behind the last.
static void change(uint32_t code, enum TplCase as, uint32_t to[4])
{
    const uint32_t *several = NULL;
    memset(to, 0, 4 * sizeof *to);
    if (code < 0x80) {
        const bool letter = as == TPL_LOWER ? code >= 'A' && code <= 'Z' : code >= 'a' && code <= 'z';
        to[0] = letter ? code ^ 0x20 : code;
        return;
    }
    if (as == TPL_TITLE)
        several = special(case_title_special, LEN(case_title_special), code);
    if (as == TPL_LOWER)
        several = special(case_lower_special, LEN(case_lower_special), code);
    else if (!several)
        several = special(case_upper_special, LEN(case_upper_special), code);
    if (several)
        memcpy(to, several, 3 * sizeof *to);
    else if (as == TPL_LOWER)
        to[0] = moved(case_lower, LEN(case_lower), code);
    else
        to[0] = moved(case_upper, LEN(case_upper), code);
}

bool tpl_is_cased(uint32_t code)
{
    uint32_t to[4];
    change(code, TPL_LOWER, to);
    if (to[0] != code)
        return true;
    change(code, TPL_UPPER, to);
    return to[0] != code || to[1];
}

bool tpl_is_printable(uint32_t code)
{
    uint32_t at = 0;
    if (code < 0x7f)
        return code >= 0x20;
    for (size_t i = 0; i < LEN(print_steps); ++i) {
        at += print_steps[i];
        if (code < at)
            return i % 2 == 1;
    }
    return LEN(print_steps) % 2 == 1;
}

// A capital sigma at the end of a word has a lower case of its own. Marks and signs between letters are not looked
// through but for the apostrophe and the full stop.
static bool ends_word(const TplText *of, size_t at, size_t end)
{
    uint32_t code = 0;
    size_t before = at;
    while (before > 0 && (of->at[before - 1] & 0xc0) == 0x80)
        --before;
    if (before == 0)
        return false;
    tpl_take(of->at + before - 1, at - (before - 1), &code);
    if (!tpl_is_cased(code))
        return false;
    while (end < of->bytes && (of->at[end] == '\'' || of->at[end] == '.'))
        ++end;
    if (end == of->bytes)
        return true;
    tpl_take(of->at + end, of->bytes - end, &code);
    return !tpl_is_cased(code);
}

static void put_cased(Tpl *t, TplBuffer *b, const TplText *of, size_t at, size_t n, uint32_t code, enum TplCase as)
{
    const uint8_t mark = of->marks ? of->marks[at] : 0;
    uint32_t to[4];
    tpl_spend(t, 1);
    if (code >= 0xdc80 && code <= 0xdcff && n == 1) {
        tpl_put(t, b, of->at + at, 1, mark ? &mark : NULL);
        return;
    }
    change(code, as, to);
    if (code == 0x3a3 && as == TPL_LOWER && ends_word(of, at, at + n))
        to[0] = 0x3c2;
    tpl_put_code(t, b, to[0], mark);
    for (int i = 1; to[i]; ++i)
        tpl_put_code(t, b, to[i], mark);
}

static TplValue changed(Tpl *t, const TplText *of, enum TplCase first, enum TplCase rest)
{
    TplBuffer *b = tpl_buffer(t, of->bytes + 16);
    uint32_t code;
    for (size_t i = 0, n; i < of->bytes; i += n) {
        n = (size_t)tpl_take(of->at + i, of->bytes - i, &code);
        put_cased(t, b, of, i, n, code, i == 0 ? first : rest);
    }
    const TplValue v = tpl_text_of(t, b);
    v.text->markup = of->markup;
    return v;
}

TplValue tpl_cased(Tpl *t, const TplText *of, enum TplCase as)
{
    if (as != TPL_TITLE)
        return changed(t, of, as, as);
    TplBuffer *b = tpl_buffer(t, of->bytes + 16);
    bool inside = false; // a word
    uint32_t code;
    for (size_t i = 0, n; i < of->bytes; i += n) {
        n = (size_t)tpl_take(of->at + i, of->bytes - i, &code);
        put_cased(t, b, of, i, n, code, inside ? TPL_LOWER : TPL_TITLE);
        inside = tpl_is_cased(code);
    }
    const TplValue v = tpl_text_of(t, b);
    v.text->markup = of->markup;
    return v;
}

TplValue tpl_capitalized(Tpl *t, const TplText *of)
{
    return changed(t, of, TPL_TITLE, TPL_LOWER);
}
