// tables.c: lay a vocabulary out as the program's tables.
#include "automaton.h"
#include "forms.h"
#include "trie.h"
#include "vocab.h"

#include "../base/str.h"

#include <string.h>

enum { NONE = 0xffffffff };

static uint32_t power_of_two_over(int64_t n)
{
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

// Appends an array at a multiple of 8 and returns where it lies.
static uint32_t append(Str *out, const void *from, size_t bytes)
{
    str_add_bytes(out, "\0\0\0\0\0\0\0", (8 - out->bytes % 8) % 8);
    const size_t at = out->bytes;
    if (bytes)
        str_add_bytes(out, from, bytes);
    if (out->bytes > UINT32_MAX)
        error_at(NOWHERE, ERR_TOKENIZER, "the tokenizer's tables are over 4 GiB");
    return (uint32_t)at;
}

// The bytes of every token.
typedef struct TokenBytes {
    Str text;
    uint32_t *starts; // [n + 1]
} TokenBytes;

static TokenBytes token_bytes(const Vocab *v)
{
    TokenBytes b = { .text = str_new(v->arena) };
    b.starts = arena_alloc(v->arena, ((size_t)v->n + 1) * sizeof *b.starts);
    for (int id = 0; id < v->n; ++id) {
        const VocabToken *t = &v->tokens[id];
        b.starts[id] = (uint32_t)b.text.bytes;
        if (!t->text || t->type == TOKEN_UNUSED)
            continue;
        uint8_t *bytes = arena_alloc(v->arena, t->bytes + 1);
        str_add_bytes(&b.text, bytes, vocab_token_bytes(v, t, bytes));
        if (b.text.bytes > UINT32_MAX)
            error_at(loc_file(v->path), ERR_TOKENIZER, "the texts of the tokens are over 4 GiB");
    }
    b.starts[v->n] = (uint32_t)b.text.bytes;
    return b;
}

// Whether a word of a text may be, or begin as, this token.
static bool is_plain(const Vocab *v, const VocabToken *t)
{
    return t->text && t->in_model && t->type == TOKEN_NORMAL && !t->is_byte && t->bytes &&
           (v->letters != LETTERS_BYTE_LEVEL ||
            vocab_letters_to_bytes(t->text, t->bytes, arena_alloc(v->arena, t->bytes + 1)) > 0);
}

static void set_byte_ids(const Vocab *v, PkgTokenizer *head)
{
    memset(head->byte_id, 0xff, sizeof head->byte_id);
    for (int id = 0; id < v->n; ++id) {
        const VocabToken *t = &v->tokens[id];
        uint8_t byte[2];
        if (!t->text || !t->in_model)
            continue;
        if (t->is_byte)
            head->byte_id[t->byte] = (uint32_t)id;
        else if (v->letters == LETTERS_BYTE_LEVEL && t->bytes <= 2 &&
                 vocab_letters_to_bytes(t->text, t->bytes, byte) == 1)
            head->byte_id[byte[0]] = (uint32_t)id;
        else if (v->letters == LETTERS_PLAIN && v->symbols == PKG_SYMBOLS_BYTES && t->bytes == 1 &&
                 t->type == TOKEN_NORMAL)
            head->byte_id[(uint8_t)t->text[0]] = (uint32_t)id;
    }
}

static void append_merges(const Vocab *v, Str *out, PkgTokenizer *head)
{
    const uint32_t slots = (uint32_t)((int64_t)v->merges.n * 3 / 2 + 1);
    PkgMerge *table = arena_alloc(v->arena, slots * sizeof *table);
    memset(table, 0xff, slots * sizeof *table);
    for (int i = 0; i < v->merges.n; ++i) {
        uint32_t slot = package_merge_slot(v->merges.at[i].left, v->merges.at[i].right, slots);
        while (table[slot].left != NONE)
            slot = slot + 1 < slots ? slot + 1 : 0;
        table[slot] = v->merges.at[i];
    }
    head->merges = (uint32_t)v->merges.n;
    head->merge_slots = slots;
    head->merge_at = append(out, table, slots * sizeof *table);
}

static bool is_one_code(const uint8_t *text, size_t bytes)
{
    size_t n = 1;
    while (n < bytes && (text[n] & 0xc0) == 0x80)
        ++n;
    return n == bytes;
}

static void append_words(const Vocab *v, const TokenBytes *b, Str *out, PkgTokenizer *head)
{
    VEC(uint32_t) ids = { 0 };
    for (int id = 0; id < v->n && (v->whole_words || v->symbols == PKG_SYMBOLS_CODES); ++id) {
        const uint8_t *text = (const uint8_t *)b->text.text + b->starts[id];
        if (is_plain(v, &v->tokens[id]) && (v->whole_words || is_one_code(text, b->starts[id + 1] - b->starts[id])))
            vec_push(v->arena, &ids, (uint32_t)id);
    }
    const uint32_t slots = ids.n ? power_of_two_over((int64_t)ids.n * 3 / 2 + 1) : 0;
    uint32_t *table = arena_alloc(v->arena, (slots + 1) * sizeof *table);
    memset(table, 0xff, slots * sizeof *table);
    for (int i = 0; i < ids.n; ++i) {
        const uint32_t id = ids.at[i];
        const uint8_t *text = (const uint8_t *)b->text.text + b->starts[id];
        const size_t bytes = b->starts[id + 1] - b->starts[id];
        uint32_t slot = (uint32_t)package_digest(text, bytes) & (slots - 1);
        for (; table[slot] != NONE; slot = (slot + 1) & (slots - 1)) {
            const uint32_t *start = &b->starts[table[slot]];
            if (start[1] - start[0] == bytes && memcmp(b->text.text + start[0], text, bytes) == 0)
                error_at(loc_file(v->path), ERR_TOKENIZER, "tokens %u and %u stand for the same text", table[slot], id);
        }
        table[slot] = id;
    }
    head->whole_words = v->whole_words;
    head->word_slots = slots;
    head->word_at = append(out, table, slots * sizeof *table);
}

// The pieces of a unigram and their scores.
static void append_pieces(const Vocab *v, const TokenBytes *b, Str *out, PkgTokenizer *head)
{
    if (v->model != PKG_UNIGRAM)
        return;
    VEC(TrieWord) words = { 0 };
    for (int id = 0; id < v->n; ++id) {
        const TrieWord word = { b->text.text + b->starts[id], b->starts[id + 1] - b->starts[id], (uint32_t)id };
        if (is_plain(v, &v->tokens[id]))
            vec_push(v->arena, &words, word);
    }
    const PkgTrieCell *cells = trie_build(v->arena, words.at, words.n, &head->piece_cells);
    head->piece_at = append(out, cells, head->piece_cells * sizeof *cells);
    head->score_at = append(out, v->scores, (size_t)v->n * sizeof *v->scores);
    str_add_bytes(out, &v->unknown_score, sizeof v->unknown_score);
    head->score_floats = v->score_floats;
}

static void append_rewrites(const Vocab *v, Str *out, PkgTokenizer *head)
{
    head->growth = v->map.growth;
    head->squeeze = v->squeeze;
    const PkgTrieCell *cells = trie_build(v->arena, v->map.words.at, v->map.words.n, &head->rewrite_cells);
    head->rewrite_at = append(out, cells, head->rewrite_cells * sizeof *cells);
    head->rewritten_bytes = (uint32_t)v->map.text.bytes;
    head->rewritten_at = append(out, v->map.text.text, v->map.text.bytes);
}

// How an added token stands in the text of its round.
static TrieWord added_word(const Vocab *v, int id, int round)
{
    VocabToken t = v->tokens[id];
    if (round) {
        t.text = vocab_normalized(v, &t);
        t.bytes = strlen(t.text);
    }
    uint8_t *bytes = arena_alloc(v->arena, t.bytes);
    const size_t n = round ? vocab_token_bytes(v, &t, bytes) : t.bytes;
    return (TrieWord){ round ? bytes : (const void *)t.text, n, (uint32_t)id };
}

// Hugging Face looks for the tokens that are not `normalized` first, then for the others, normalized, in what is left. Special
// tokens are looked for in the first round always: the second one sees a text whose places are no longer the caller's.
static void append_added(const Vocab *v, Str *out, PkgTokenizer *head)
{
    for (int round = 0; round < ADDED_ROUNDS; ++round) {
        VEC(TrieWord) words = { 0 };
        for (int id = 0; id < v->n; ++id) {
            const VocabToken *t = &v->tokens[id];
            const int kind = t->type & TOKEN_KIND;
            const bool normalized = t->normalized && kind == TOKEN_ADDED;
            if ((kind != TOKEN_ADDED && kind != TOKEN_SPECIAL) || normalized != round || !t->bytes)
                continue;
            const TrieWord word = added_word(v, id, round);
            for (int i = 0; round && i < words.n; ++i)
                if (words.at[i].n == word.n && memcmp(words.at[i].bytes, word.bytes, word.n) == 0)
                    error_at(loc_file(v->path), ERR_TOKENIZER, "added tokens %u and %d are the same behind the normalizer", words.at[i].value, id);
            vec_push(v->arena, &words, word);
        }
        const PkgTrieCell *cells = trie_build(v->arena, words.at, words.n, &head->added_cells[round]);
        head->added_at[round] = append(out, cells, head->added_cells[round] * sizeof *cells);
    }
}

// One byte a code point, in pages, of which equal ones stand once. Returns how many pages there are.
static uint32_t append_pages(Arena *arena, const uint8_t *of, Str *out, uint32_t *page_of_at, uint32_t *pages_at)
{
    uint32_t n = 0;
    uint16_t *page_of = arena_alloc(arena, PKG_CLASS_PAGES * sizeof *page_of);
    Str pages = str_new(arena);
    for (int i = 0; i < PKG_CLASS_PAGES; ++i) {
        const uint8_t *page = of + i * PKG_PAGE;
        uint32_t same = 0;
        while (same < n && memcmp(pages.text + (size_t)same * PKG_PAGE, page, PKG_PAGE) != 0)
            ++same;
        if (same == n) {
            str_add_bytes(&pages, page, PKG_PAGE);
            ++n;
        }
        page_of[i] = (uint16_t)same;
    }
    *page_of_at = append(out, page_of, PKG_CLASS_PAGES * sizeof *page_of);
    *pages_at = append(out, pages.text, pages.bytes);
    return n;
}

static void append_forms(const Vocab *v, Str *out, PkgTokenizer *head)
{
    head->form_growth = 1;
    head->strips = v->strips;
    if (!v->form)
        return;
    const Forms f = forms_new(v->arena, v->form);
    head->form = v->form == FORM_NFC || v->form == FORM_NFKC ? FORM_TOGETHER : FORM_APART;
    head->form_growth = f.growth;
    head->kinds = append_pages(v->arena, f.kinds, out, &head->kind_of_at, &head->kinds_at);
    head->decompositions = (uint32_t)f.decompositions.n;
    head->decomposition_at = append(out, f.decompositions.at, (size_t)f.decompositions.n * sizeof *f.decompositions.at);
    head->parts = (uint32_t)f.parts.n;
    head->parts_at = append(out, f.parts.at, (size_t)f.parts.n * sizeof *f.parts.at);
    head->compositions = (uint32_t)f.compositions.n;
    head->composition_at = append(out, f.compositions.at, (size_t)f.compositions.n * sizeof *f.compositions.at);
}

static void append_steps(const Vocab *v, Str *out, PkgTokenizer *head)
{
    if (v->single_words) // classes tell letters apart
        regex_add_set(v->regexes, charset_word(v->regexes->unicode));
    Automaton *a = automaton_new(v->regexes);
    for (int i = 0; i < v->steps.n; ++i) {
        const int state = automaton_add(a, v->regexes, v->steps.at[i].start);
        if (state < 0)
            error_at(loc_file(v->path), ERR_PRE_TOKENIZER, "step %d of splitting needs too many states", i);
        head->step[i] = (PkgStep){ v->steps.at[i].behaviour, (uint32_t)state };
    }
    const CharSet spaces = charset_space(v->arena), letters = charset_word(v->regexes->unicode);
    for (int class = 0; class < a->classes; ++class) {
        if (charset_has(spaces, a->samples.at[class]))
            head->spaces[class / 32] |= 1u << class % 32;
        if (v->single_words && charset_has(letters, a->samples.at[class]))
            head->letters[class / 32] |= 1u << class % 32;
    }
    head->steps = (uint32_t)v->steps.n;
    head->classes = (uint32_t)a->classes;
    head->states = (uint32_t)a->states;
    head->pages = append_pages(v->arena, a->class_of, out, &head->page_of_at, &head->pages_at);
    head->moves_at = append(out, a->moves.at, (size_t)a->moves.n * sizeof *a->moves.at);
}

void vocab_write_tables(const Vocab *v, Tokenizer *out)
{
    PkgTokenizer head = { .vocab = (uint32_t)v->n,
                          .bos = v->bos,
                          .model = v->model,
                          .symbols = v->symbols,
                          .blanks = v->letters == LETTERS_BLANKS,
                          .prefix = v->prefix,
                          .byte_fallback = v->byte_fallback,
                          .unknown = v->unknown,
                          .fuse_unknown = v->fuse_unknown };
    set_byte_ids(v, &head);
    head.eos_count = (uint32_t)v->eos_count;
    memcpy(head.eos, v->eos, sizeof head.eos);
    Str tables = str_new(v->arena);
    append(&tables, &head, sizeof head);
    const TokenBytes b = token_bytes(v);
    head.text_bytes = (uint32_t)b.text.bytes;
    head.text_at = append(&tables, b.text.text, b.text.bytes);
    head.token_at = append(&tables, b.starts, ((size_t)v->n + 1) * sizeof *b.starts);
    uint8_t *types = arena_alloc(v->arena, (size_t)v->n);
    for (int id = 0; id < v->n; ++id)
        types[id] = v->tokens[id].text ? v->tokens[id].type : TOKEN_UNUSED;
    head.type_at = append(&tables, types, (size_t)v->n);
    append_merges(v, &tables, &head);
    append_words(v, &b, &tables, &head);
    append_pieces(v, &b, &tables, &head);
    append_rewrites(v, &tables, &head);
    append_steps(v, &tables, &head);
    append_forms(v, &tables, &head);
    append_added(v, &tables, &head);
    memcpy(tables.text, &head, sizeof head);
    *out = (Tokenizer){ .tables = tables.text, .bytes = tables.bytes };
}
