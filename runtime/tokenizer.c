// tokenizer.c: open the tables that llmc made; ids to text.
#include "tokenizer.h"

#include "utf8.h"

#include <string.h>

static bool lies_inside(size_t bytes, uint64_t at, uint64_t n, uint64_t element_bytes)
{
    return at <= bytes && n * element_bytes <= bytes - at &&
           (element_bytes == 1 || at % (element_bytes == 8 ? 8 : 4) == 0);
}

static bool is_power_of_two_or_0(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

static bool head_is_sound(const PkgTokenizer *t)
{
    const int64_t vocab = t->vocab;
    return t->steps <= PKG_STEPS && t->model >= PKG_MERGES && t->model <= PKG_UNIGRAM && t->growth >= 1 &&
           t->growth <= PKG_GROWTH && t->form <= FORM_APART && t->form_growth >= (t->form ? 3 : 1) && t->form_growth <= PKG_GROWTH &&
           t->strips <= STRIP_ALL && t->symbols >= PKG_SYMBOLS_BYTES && t->symbols <= PKG_SYMBOLS_CODES &&
           t->prefix <= PREFIX_ALL && vocab > 0 && vocab < INT32_MAX && t->bos >= -1 && t->bos < vocab &&
           t->unknown >= -1 && t->unknown < vocab && t->eos_count <= REQUEST_EOS && t->classes > 0 &&
           t->classes < 256 && t->states > 0 && t->states <= 32768 && t->pages <= 65536 &&
           is_power_of_two_or_0(t->word_slots);
}

static bool parts_lie_inside(const PkgTokenizer *t, size_t bytes)
{
    return lies_inside(bytes, t->text_at, t->text_bytes, 1) &&
           lies_inside(bytes, t->token_at, (uint64_t)t->vocab + 1, 4) && lies_inside(bytes, t->type_at, t->vocab, 1) &&
           lies_inside(bytes, t->merge_at, t->merge_slots, sizeof(PkgMerge)) &&
           lies_inside(bytes, t->word_at, t->word_slots, 4) &&
           lies_inside(bytes, t->page_of_at, PKG_CLASS_PAGES, sizeof(uint16_t)) &&
           lies_inside(bytes, t->pages_at, (uint64_t)t->pages * PKG_PAGE, 1) &&
           lies_inside(bytes, t->moves_at, (uint64_t)t->states * (t->classes + 1), sizeof(uint16_t)) &&
           (!t->form || lies_inside(bytes, t->kind_of_at, PKG_CLASS_PAGES, sizeof(uint16_t))) &&
           lies_inside(bytes, t->kinds_at, (uint64_t)t->kinds * PKG_PAGE, 1) &&
           lies_inside(bytes, t->decomposition_at, t->decompositions, sizeof(PkgDecomposition)) &&
           lies_inside(bytes, t->parts_at, t->parts, 4) &&
           lies_inside(bytes, t->composition_at, t->compositions, sizeof(PkgComposition)) &&
           lies_inside(bytes, t->piece_at, t->piece_cells, sizeof(PkgTrieCell)) &&
           (t->model != PKG_UNIGRAM || lies_inside(bytes, t->score_at, (uint64_t)t->vocab + 1, sizeof(double))) &&
           lies_inside(bytes, t->rewrite_at, t->rewrite_cells, sizeof(PkgTrieCell)) &&
           lies_inside(bytes, t->rewritten_at, t->rewritten_bytes, 1) &&
           lies_inside(bytes, t->added_at[0], t->added_cells[0], sizeof(PkgTrieCell)) &&
           lies_inside(bytes, t->added_at[1], t->added_cells[1], sizeof(PkgTrieCell));
}

static bool ids_are_sound(const TokenizerView *v)
{
    const PkgTokenizer *t = v->head;
    for (uint32_t id = 0; id < t->vocab; ++id)
        if (v->starts[id] > v->starts[id + 1])
            return false;
    for (int b = 0; b < 256; ++b)
        if (t->byte_id[b] != UINT32_MAX && t->byte_id[b] >= t->vocab)
            return false;
    return v->starts[0] == 0 && v->starts[t->vocab] <= t->text_bytes;
}

static bool states_are_sound(const TokenizerView *v)
{
    const PkgTokenizer *t = v->head;
    for (uint32_t i = 0; i < t->steps; ++i)
        if (t->step[i].behaviour < PKG_ISOLATED || t->step[i].behaviour > PKG_JOINED || t->step[i].state >= t->states)
            return false;
    for (uint32_t i = 0; i < PKG_CLASS_PAGES; ++i)
        if (v->page_of[i] >= t->pages)
            return false;
    for (uint32_t i = 0; i < t->pages * PKG_PAGE; ++i)
        if (v->pages[i] >= t->classes)
            return false;
    for (uint32_t i = 0; i < t->states * (t->classes + 1); ++i)
        if (v->moves[i] >> 1 >= t->states)
            return false;
    return true;
}

static uint32_t code_bytes(uint32_t code)
{
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

// No text becomes longer than form_growth says, which is the room that is taken for it.
static bool decomposition_is_sound(const TokenizerView *v, const PkgDecomposition *d)
{
    uint32_t bytes = 0;
    if (d->parts > PKG_PARTS || d->part > v->head->parts || d->parts > v->head->parts - d->part)
        return false;
    for (uint32_t i = 0; i < d->parts; ++i)
        bytes += code_bytes(v->parts[d->part + i]);
    return bytes <= v->head->form_growth * code_bytes(d->code);
}

static bool forms_are_sound(const TokenizerView *v)
{
    const PkgTokenizer *t = v->head;
    for (uint32_t i = 0; t->form && i < PKG_CLASS_PAGES; ++i)
        if (v->kind_of[i] >= t->kinds)
            return false;
    for (uint32_t i = 0; i < t->parts; ++i)
        if (v->parts[i] >= PKG_CODES)
            return false;
    for (uint32_t i = 0; i < t->decompositions; ++i)
        if (!decomposition_is_sound(v, &v->decompositions[i]))
            return false;
    for (uint32_t i = 0; i < t->compositions; ++i) {
        const PkgComposition c = v->compositions[i];
        if (c.made >= PKG_CODES || code_bytes(c.made) > code_bytes(c.first) + code_bytes(c.second))
            return false;
    }
    return true;
}

bool tokenizer_open(TokenizerView *v, const void *tables, size_t bytes)
{
    const PkgTokenizer *t = tables;
    if (!t || (uintptr_t)t % 8 || bytes < sizeof *t || !head_is_sound(t) || !parts_lie_inside(t, bytes))
        return false;
    const uint8_t *base = tables;
    *v = (TokenizerView){
        .head = t,
        .text = base + t->text_at,
        .types = base + t->type_at,
        .starts = (const uint32_t *)(base + t->token_at),
        .merges = (const PkgMerge *)(base + t->merge_at),
        .words = (const uint32_t *)(base + t->word_at),
        .page_of = (const uint16_t *)(base + t->page_of_at),
        .pages = base + t->pages_at,
        .moves = (const uint16_t *)(base + t->moves_at),
        .kind_of = (const uint16_t *)(base + t->kind_of_at),
        .kinds = base + t->kinds_at,
        .decompositions = (const PkgDecomposition *)(base + t->decomposition_at),
        .parts = (const uint32_t *)(base + t->parts_at),
        .compositions = (const PkgComposition *)(base + t->composition_at),
    };
    for (int i = 0; i < ADDED_ROUNDS; ++i)
        v->added[i] = (Trie){ (const PkgTrieCell *)(base + t->added_at[i]), t->added_cells[i] };
    v->pieces = (Trie){ (const PkgTrieCell *)(base + t->piece_at), t->piece_cells };
    v->rewrites = (Trie){ (const PkgTrieCell *)(base + t->rewrite_at), t->rewrite_cells };
    v->scores = (const double *)(base + t->score_at);
    v->rewritten = (const char *)base + t->rewritten_at;
    if (t->rewritten_bytes && v->rewritten[t->rewritten_bytes - 1])
        return false;
    if (!ids_are_sound(v) || !states_are_sound(v) || !forms_are_sound(v))
        return false;
    memcpy(v->ascii, v->pages + (size_t)v->page_of[0] * PKG_PAGE, sizeof v->ascii);
    return true;
}

const uint8_t *tokenizer_bytes(const TokenizerView *v, uint32_t id, size_t *bytes)
{
    *bytes = 0;
    if (id >= v->head->vocab)
        return v->text;
    *bytes = v->starts[id + 1] - v->starts[id];
    return v->text + v->starts[id];
}

int tokenizer_type(const TokenizerView *v, uint32_t id)
{
    return id < v->head->vocab ? v->types[id] & TOKEN_KIND : TOKEN_UNUSED;
}

static const char replacement[3] = "\xef\xbf\xbd"; // U+FFFD

// Collects text before it goes to the sink, which is called once for a usual token.
typedef struct Batch {
    TokenizerStream *stream;
    size_t bytes;
    char text[256];
} Batch;

static void batch_flush(Batch *b)
{
    if (b->bytes)
        b->stream->sink(b->stream->context, b->text, b->bytes);
    b->bytes = 0;
}

static void batch_add(Batch *b, const void *text, size_t bytes)
{
    if (b->bytes + bytes > sizeof b->text)
        batch_flush(b);
    memcpy(b->text + b->bytes, text, bytes);
    b->bytes += bytes;
}

// Takes whole code points and ill-formed parts from the front of what is held back.
static void release_held(TokenizerStream *s, Batch *batch)
{
    while (s->held_bytes) {
        uint32_t code;
        const int n = utf8_take(s->held, s->held_bytes, &code);
        if (n == 0)
            return;
        const uint32_t taken = (uint32_t)(n < 0 ? -n : n);
        batch_add(batch, n < 0 ? replacement : (const char *)s->held, n < 0 ? sizeof replacement : taken);
        s->held_bytes -= taken;
        memmove(s->held, s->held + taken, s->held_bytes);
    }
}

void tokenizer_stream_add(TokenizerStream *s, const void *from, size_t bytes)
{
    Batch batch = { .stream = s };
    for (size_t i = 0; i < bytes; ++i) {
        s->held[s->held_bytes++] = ((const uint8_t *)from)[i];
        release_held(s, &batch);
    }
    batch_flush(&batch);
}

void tokenizer_stream_end(TokenizerStream *s)
{
    if (s->held_bytes)
        s->sink(s->context, replacement, sizeof replacement);
    s->held_bytes = 0;
}
