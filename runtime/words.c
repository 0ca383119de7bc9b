// words.c: split a text into words by the rules of GPT-2, Llama 3 and SmolLM.
//
// Each rule is a regular expression whose alternatives are tried in order at each position:
//   GPT-2    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//   Llama 3  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+
//            |\s+(?!\S)|\s+
//   SmolLM   each \p{N} alone; GPT-2's rule inside the pieces between, whose ends count as ends of the text
// Every code point is a letter, a number, white space or other, so one of the alternatives always matches. The
// functions below decide by the class of the next one or two code points which it is, and never go back further than
// one run.
#include "words.h"

#include "utf8.h"

enum { CLASS_END = 4 };

typedef struct Rune {
    uint32_t code;
    int class;   // CLASS_*
    size_t next; // where the one after it begins
} Rune;

static int class_of(const TokenizerView *v, uint32_t code)
{
    if (code < 128)
        return v->ascii[code];
    uint32_t low = 0, high = v->head->classes; // the run lies in [low, high)
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (v->classes[middle] >> 2 <= code)
            low = middle;
        else
            high = middle;
    }
    return (int)(v->classes[low] & 3);
}

static Rune rune_at(const Words *w, size_t at, size_t end)
{
    if (at >= end)
        return (Rune){ 0, CLASS_END, at };
    uint32_t code = 0;
    const int bytes = utf8_take(w->text + at, end - at, &code);
    if (bytes <= 0)
        return (Rune){ 0xfffd, CLASS_OTHER, at + 1 };
    return (Rune){ code, class_of(w->view, code), at + (size_t)bytes };
}

// The end of the run of `class` that goes on at `at`, at most `most` code points of it.
static size_t run_end(const Words *w, size_t at, size_t end, int class, size_t most)
{
    for (size_t n = 0; n < most; ++n) {
        const Rune r = rune_at(w, at, end);
        if (r.class != class)
            break;
        at = r.next;
    }
    return at;
}

// \s+(?!\S)|\s+ : a run of white space but for its last code point, which goes to the word behind it.
static size_t space_end(const Words *w, size_t at, size_t end)
{
    size_t last = at, next = at;
    for (Rune r = rune_at(w, at, end); r.class == CLASS_SPACE; r = rune_at(w, next, end)) {
        last = next;
        next = r.next;
    }
    return next == end || last == at ? next : last;
}

// 's|'t|'re|'ve|'m|'ll|'d behind the apostrophe; `at` when it is none of them. With any_case also upper case and
// U+017F, the long s, whose simple case folding is s.
static size_t contraction_end(const Words *w, size_t at, size_t end, bool any_case)
{
    uint32_t letter[2];
    size_t next[2] = { at, at };
    for (int i = 0; i < 2; ++i) {
        const Rune r = rune_at(w, i ? next[0] : at, end);
        letter[i] = any_case && r.code == 0x17f                  ? 's'
                    : any_case && r.code >= 'A' && r.code <= 'Z' ? r.code + 32
                                                                 : r.code;
        next[i] = r.next;
    }
    const uint32_t a = letter[0], b = letter[1];
    if (a == 's' || a == 't' || a == 'm' || a == 'd')
        return next[0];
    if ((b == 'e' && (a == 'r' || a == 'v')) || (a == 'l' && b == 'l'))
        return next[1];
    return at;
}

static size_t gpt2_end(const Words *w, size_t at, size_t end)
{
    const Rune first = rune_at(w, at, end);
    if (first.code == '\'') {
        const size_t after = contraction_end(w, first.next, end, false);
        if (after > first.next)
            return after;
    }
    const Rune r = first.code == ' ' ? rune_at(w, first.next, end) : first;
    if (r.class == CLASS_SPACE || r.class == CLASS_END)
        return space_end(w, at, end);
    return run_end(w, r.next, end, r.class, SIZE_MAX);
}

static bool is_newline(uint32_t code)
{
    return code == '\r' || code == '\n';
}

static size_t newlines_end(const Words *w, size_t at, size_t end)
{
    while (at < end && is_newline(w->text[at]))
        ++at;
    return at;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
static size_t llama3_space_end(const Words *w, size_t at, size_t end)
{
    size_t behind_newline = 0, next = at;
    for (Rune r = rune_at(w, at, end); r.class == CLASS_SPACE; r = rune_at(w, next, end)) {
        next = r.next;
        if (is_newline(r.code))
            behind_newline = next;
    }
    return behind_newline ? behind_newline : space_end(w, at, end);
}

static size_t llama3_end(const Words *w, size_t at, size_t end)
{
    const Rune first = rune_at(w, at, end), second = rune_at(w, first.next, end);
    if (first.code == '\'') {
        const size_t after = contraction_end(w, first.next, end, true);
        if (after > first.next)
            return after;
    }
    if (first.class == CLASS_LETTER)
        return run_end(w, first.next, end, CLASS_LETTER, SIZE_MAX);
    if (first.class == CLASS_NUMBER)
        return run_end(w, first.next, end, CLASS_NUMBER, 2);
    if (second.class == CLASS_LETTER && !is_newline(first.code))
        return run_end(w, second.next, end, CLASS_LETTER, SIZE_MAX);
    if (first.class == CLASS_OTHER || (first.code == ' ' && second.class == CLASS_OTHER))
        return newlines_end(w, run_end(w, first.next, end, CLASS_OTHER, SIZE_MAX), end);
    return llama3_space_end(w, at, end);
}

static size_t smollm_end(Words *w)
{
    if (w->digit < w->at || w->at == 0)
        for (w->digit = w->at; w->digit < w->end;) {
            const Rune r = rune_at(w, w->digit, w->end);
            if (r.class == CLASS_NUMBER)
                break;
            w->digit = r.next;
        }
    return w->digit == w->at ? rune_at(w, w->at, w->end).next : gpt2_end(w, w->at, w->digit);
}

Words words_of(const TokenizerView *v, const uint8_t *text, size_t bytes)
{
    return (Words){ .view = v, .text = text, .end = bytes };
}

bool words_next(Words *w)
{
    if (w->at >= w->end)
        return false;
    switch (w->view->head->pre) {
    case PKG_PRE_GPT2:
        w->at = gpt2_end(w, w->at, w->end);
        break;
    case PKG_PRE_LLAMA3:
        w->at = llama3_end(w, w->at, w->end);
        break;
    case PKG_PRE_WHOLE:
        w->at = w->end;
        break;
    default:
        w->at = smollm_end(w);
    }
    return true;
}

size_t words_space_before(const TokenizerView *v, const uint8_t *text, size_t from, size_t at)
{
    const Words w = words_of(v, text, at);
    while (at > from) {
        size_t before = at - 1;
        while (before > from && at - before < 4 && (text[before] & 0xc0) == 0x80)
            --before;
        const Rune r = rune_at(&w, before, at);
        if (r.class != CLASS_SPACE || r.next != at)
            break;
        at = before;
    }
    return at;
}

size_t words_space_after(const TokenizerView *v, const uint8_t *text, size_t at, size_t bytes)
{
    const Words w = words_of(v, text, bytes);
    return run_end(&w, at, bytes, CLASS_SPACE, SIZE_MAX);
}
