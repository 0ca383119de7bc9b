// tokenizer.c: open the tables that llmc made; ids to text.
#include "tokenizer.h"

#include "utf8.h"

#include <string.h>

static bool lies_inside(size_t bytes, uint64_t at, uint64_t n, uint64_t element_bytes)
{
    return at <= bytes && n * element_bytes <= bytes - at && (element_bytes == 1 || at % 4 == 0);
}

static bool is_power_of_two_or_0(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

static bool head_is_sound(const PkgTokenizer *t, size_t bytes)
{
    const int64_t vocab = t->vocab;
    return t->pre >= PKG_PRE_GPT2 && t->pre <= PKG_PRE_WHOLE && t->symbols >= PKG_SYMBOLS_BYTES &&
           t->symbols <= PKG_SYMBOLS_CODES && t->prefix <= PREFIX_ALL && vocab > 0 && vocab < INT32_MAX && t->bos >= -1 &&
           t->bos < vocab && t->unknown >= -1 && t->unknown < vocab && t->eos_count <= REQUEST_EOS && t->classes > 0 &&
           is_power_of_two_or_0(t->merge_slots) && is_power_of_two_or_0(t->word_slots) &&
           lies_inside(bytes, t->text_at, t->text_bytes, 1) && lies_inside(bytes, t->token_at, vocab + 1, 4) &&
           lies_inside(bytes, t->type_at, vocab, 1) &&
           lies_inside(bytes, t->merge_at, t->merge_slots, sizeof(PkgMerge)) &&
           lies_inside(bytes, t->word_at, t->word_slots, 4) && lies_inside(bytes, t->class_at, t->classes, 4) &&
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
    for (uint32_t i = 0; i < t->word_slots; ++i)
        if (v->words[i] != UINT32_MAX && v->words[i] >= t->vocab)
            return false;
    return v->starts[0] == 0 && v->starts[t->vocab] <= t->text_bytes && v->classes[0] >> 2 == 0;
}

// The classes of ASCII, which are most of what is looked up.
static void make_shortcuts(TokenizerView *v)
{
    for (uint32_t code = 0, run = 0; code < 128; ++code) {
        while (run + 1 < v->head->classes && v->classes[run + 1] >> 2 <= code)
            ++run;
        v->ascii[code] = v->classes[run] & 3;
    }
}

bool tokenizer_open(TokenizerView *v, const void *tables, size_t bytes)
{
    const PkgTokenizer *t = tables;
    if (!t || (uintptr_t)t % 4 || bytes < sizeof *t || !head_is_sound(t, bytes))
        return false;
    const uint8_t *base = tables;
    *v = (TokenizerView){
        .head = t,
        .text = base + t->text_at,
        .types = base + t->type_at,
        .starts = (const uint32_t *)(base + t->token_at),
        .merges = (const PkgMerge *)(base + t->merge_at),
        .words = (const uint32_t *)(base + t->word_at),
        .classes = (const uint32_t *)(base + t->class_at),
    };
    for (int i = 0; i < ADDED_ROUNDS; ++i)
        v->added[i] = (Trie){ (const PkgTrieCell *)(base + t->added_at[i]), t->added_cells[i] };
    if (!ids_are_sound(v))
        return false;
    make_shortcuts(v);
    return v->ascii[' '] == CLASS_SPACE; // which the rules take for granted
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
