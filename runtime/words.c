// words.c: split a text into words, by the states that llmc made of a model's rules.
#include "words.h"

#include "utf8.h"

// The class of the code point at `at` and where the next one begins.
static uint32_t class_at(const TokenizerView *v, const uint8_t *text, size_t at, size_t end, size_t *next)
{
    if (text[at] < 0x80) {
        *next = at + 1;
        return v->ascii[text[at]];
    }
    uint32_t code = 0xfffd;
    const int bytes = utf8_take(text + at, end - at, &code);
    *next = at + (bytes > 0 ? (size_t)bytes : 1);
    if (bytes <= 0)
        code = 0xfffd;
    return v->pages[(size_t)v->page_of[code / PKG_PAGE] * PKG_PAGE + code % PKG_PAGE];
}

static bool is_space(const TokenizerView *v, uint32_t class)
{
    return v->head->spaces[class / 32] >> class % 32 & 1;
}

// The end of the match of a step that begins at `at`; `at` itself: none does.
static size_t match_end(const Words *w, const PkgStep *step, size_t at, size_t end)
{
    const TokenizerView *v = w->view;
    const uint32_t stride = v->head->classes + 1;
    size_t last = at, next = at;
    for (uint32_t state = step->state; state;) {
        const size_t here = next;
        const uint32_t class = here < end ? class_at(v, w->text, here, end, &next) : v->head->classes;
        const uint32_t move = v->moves[state * stride + class];
        if (move & 1)
            last = here;
        state = here < end ? move >> 1 : 0;
    }
    return last;
}

// Where the next match begins, at or behind `at`, and where it ends; `end` both: there is none.
static size_t find_match(const Words *w, const PkgStep *step, size_t at, size_t end, size_t *match)
{
    while (at < end) {
        *match = match_end(w, step, at, end);
        if (*match > at)
            return at;
        class_at(w->view, w->text, at, end, &at);
    }
    *match = end;
    return end;
}

// The next piece of a step, in [at, end): where it begins is the return value, where it ends *to. Empty: no more of
// them.
static size_t next_piece(const Words *w, const PkgStep *step, size_t at, size_t end, size_t *to)
{
    size_t match, from = find_match(w, step, at, end, &match);
    switch (step->behaviour) {
    case PKG_KEPT:
        *to = match;
        return from;
    case PKG_REMOVED:
        while (from == at && from < end) { // matches in front
            at = match;
            from = find_match(w, step, at, end, &match);
        }
        *to = from;
        return at;
    case PKG_TO_LEFT:
        *to = match;
        return at;
    case PKG_TO_RIGHT:
        *to = from > at ? from : find_match(w, step, match, end, &from);
        return at;
    case PKG_JOINED:
        *to = from > at ? from : match;
        while (from == at && *to < end && find_match(w, step, *to, end, &match) == *to)
            *to = match;
        return at;
    default:
        *to = from > at ? from : match;
        return at;
    }
}

Words words_of(const TokenizerView *v, const uint8_t *text, size_t bytes)
{
    return (Words){ .view = v, .text = text, .end = { bytes } };
}

bool words_next(Words *w)
{
    const uint32_t steps = w->view->head->steps;
    for (uint32_t level = steps;;) {
        const size_t at = w->at[level], end = w->end[level];
        size_t from = at, to = end;
        if (at < end && level < steps)
            from = next_piece(w, &w->view->head->step[level], at, end, &to);
        if (from >= to) { // this piece is done
            if (level-- == 0)
                return false;
            continue;
        }
        w->at[level] = to;
        if (level == steps) {
            w->from = from;
            w->to = to;
            return true;
        }
        ++level;
        w->at[level] = from;
        w->end[level] = to;
    }
}

// Where the code point that ends at `at` begins, not before `from`, which is before `at`; its class in *class. A byte that is no UTF-8
// stands alone.
static size_t code_before(const TokenizerView *v, const uint8_t *text, size_t from, size_t at, uint32_t *class)
{
    size_t before = at - 1, next;
    while (before > from && at - before < 4 && (text[before] & 0xc0) == 0x80)
        --before;
    *class = class_at(v, text, before, at, &next);
    if (next == at)
        return before;
    *class = class_at(v, text, at - 1, at, &next);
    return at - 1;
}

size_t words_space_before(const TokenizerView *v, const uint8_t *text, size_t from, size_t at)
{
    uint32_t class;
    for (size_t before; at > from; at = before) {
        before = code_before(v, text, from, at, &class);
        if (!is_space(v, class))
            break;
    }
    return at;
}

size_t words_space_after(const TokenizerView *v, const uint8_t *text, size_t at, size_t bytes)
{
    for (size_t next; at < bytes && is_space(v, class_at(v, text, at, bytes, &next)); at = next)
        ;
    return at;
}

static bool is_letter(const TokenizerView *v, uint32_t class)
{
    return v->head->letters[class / 32] >> class % 32 & 1;
}

bool words_letter_before(const TokenizerView *v, const uint8_t *text, size_t at)
{
    uint32_t class;
    return at && (code_before(v, text, 0, at, &class), is_letter(v, class));
}

bool words_letter_after(const TokenizerView *v, const uint8_t *text, size_t at, size_t bytes)
{
    size_t next;
    return at < bytes && is_letter(v, class_at(v, text, at, bytes, &next));
}
