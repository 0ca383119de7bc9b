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

// Runs without and with a property, one after the other from 0 on.
static bool in_steps(const uint32_t *steps, size_t n, uint32_t code)
{
    uint32_t at = 0;
    for (size_t i = 0; i < n; ++i) {
        at += steps[i];
        if (code < at)
            return i % 2 == 1;
    }
    return n % 2 == 1;
}

static bool is_cased(uint32_t code)
{
    if (code < 0x80)
        return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
    return in_steps(cased_steps, LEN(cased_steps), code);
}

bool tpl_is_printable(uint32_t code)
{
    return code < 0x7f ? code >= 0x20 : in_steps(print_steps, LEN(print_steps), code);
}

static bool is_ignored(uint32_t code)
{
    return in_steps(ignored_steps, LEN(ignored_steps), code);
}

// The last character before byte `at`; where it begins.
static size_t character_before(const TplText *of, size_t at, uint32_t *code)
{
    size_t lead = at - 1;
    while (lead > 0 && at - lead < 4 && (of->at[lead] & 0xc0) == 0x80)
        --lead;
    if (lead + (size_t)tpl_take(of->at + lead, at - lead, code) == at)
        return lead;
    tpl_take(of->at + at - 1, 1, code);
    return at - 1;
}

// A capital sigma, from `at` to `end`, has a lower case of its own behind a letter and before none.
static bool ends_word(Tpl *t, const TplText *of, size_t at, size_t end)
{
    uint32_t code = 0;
    bool before = false;
    while (at > 0 && !before) {
        at = character_before(of, at, &code);
        tpl_spend(t, 1);
        if (!is_ignored(code)) {
            if (!is_cased(code))
                return false;
            before = true;
        }
    }
    while (before && end < of->bytes) {
        end += (size_t)tpl_take(of->at + end, of->bytes - end, &code);
        tpl_spend(t, 1);
        if (!is_ignored(code))
            return !is_cased(code);
    }
    return before;
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
    if (code == 0x3a3 && as == TPL_LOWER && ends_word(t, of, at, at + n))
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
        inside = is_cased(code);
    }
    const TplValue v = tpl_text_of(t, b);
    v.text->markup = of->markup;
    return v;
}

TplValue tpl_capitalized(Tpl *t, const TplText *of)
{
    return changed(t, of, TPL_TITLE, TPL_LOWER);
}
