// tables.c: lay a vocabulary out as the program's tables.
#include "classes.h"
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

// Appends an array at a multiple of 4 and returns where it lies.
static uint32_t append(Str *out, const void *from, size_t bytes)
{
    str_add_bytes(out, "\0\0\0", (4 - out->bytes % 4) % 4);
    const size_t at = out->bytes;
    if (bytes)
        str_add_bytes(out, from, bytes);
    if (out->bytes > UINT32_MAX)
        error_at(NOWHERE, ERR_TOKENIZER, "the tokenizer's tables are over 4 GiB");
    return (uint32_t)at;
}

// The bytes of every token, and the ids of single bytes and, with whole_words, of all that merging can make.
typedef struct TokenBytes {
    Str text;
    uint32_t *starts; // [n + 1]
    bool *plain;      // [n] NORMAL and in byte-level letters throughout
} TokenBytes;

static TokenBytes token_bytes(const Vocab *v, PkgTokenizer *head)
{
    TokenBytes b = { .text = str_new(v->arena) };
    b.starts = arena_alloc(v->arena, ((size_t)v->n + 1) * sizeof *b.starts);
    b.plain = arena_alloc(v->arena, (size_t)v->n * sizeof *b.plain);
    memset(head->byte_id, 0xff, sizeof head->byte_id);
    for (int id = 0; id < v->n; ++id) {
        const VocabToken *t = &v->tokens[id];
        b.starts[id] = (uint32_t)b.text.bytes;
        if (!t->text)
            continue;
        uint8_t *bytes = arena_alloc(v->arena, t->bytes + 1);
        const int64_t n = t->in_model ? vocab_letters_to_bytes(t->text, t->bytes, bytes) : -1;
        if (n == 1)
            head->byte_id[bytes[0]] = (uint32_t)id;
        b.plain[id] = t->type == TOKEN_NORMAL && n > 0;
        str_add_bytes(&b.text, b.plain[id] ? (const void *)bytes : t->text, b.plain[id] ? (size_t)n : t->bytes);
        if (b.text.bytes > UINT32_MAX)
            error_at(NOWHERE, ERR_TOKENIZER, "the texts of the tokens are over 4 GiB");
    }
    b.starts[v->n] = (uint32_t)b.text.bytes;
    return b;
}

static void append_merges(const Vocab *v, Str *out, PkgTokenizer *head)
{
    const uint32_t slots = power_of_two_over((int64_t)v->merges.n * 3 / 2 + 1);
    PkgMerge *table = arena_alloc(v->arena, slots * sizeof *table);
    memset(table, 0xff, slots * sizeof *table);
    for (int i = 0; i < v->merges.n; ++i) {
        uint32_t slot = package_merge_slot(v->merges.at[i].left, v->merges.at[i].right, slots);
        while (table[slot].left != NONE)
            slot = (slot + 1) & (slots - 1);
        table[slot] = v->merges.at[i];
    }
    head->merges = (uint32_t)v->merges.n;
    head->merge_slots = slots;
    head->merge_at = append(out, table, slots * sizeof *table);
}

static void append_words(const Vocab *v, const TokenBytes *b, Str *out, PkgTokenizer *head)
{
    const uint32_t slots = v->whole_words ? power_of_two_over((int64_t)v->n * 3 / 2 + 1) : 0;
    uint32_t *table = arena_alloc(v->arena, (slots + 1) * sizeof *table);
    memset(table, 0xff, slots * sizeof *table);
    for (int id = 0; id < v->n && slots; ++id) {
        if (!b->plain[id])
            continue;
        uint32_t slot = (uint32_t)package_digest(b->text.text + b->starts[id], b->starts[id + 1] - b->starts[id]);
        for (slot &= slots - 1; table[slot] != NONE;)
            slot = (slot + 1) & (slots - 1);
        table[slot] = (uint32_t)id;
    }
    head->whole_words = v->whole_words;
    head->word_slots = slots;
    head->word_at = append(out, table, slots * sizeof *table);
}

// Hugging Face looks for the tokens that are not `normalized` first, then for the others in what is left. Special
// tokens are looked for in the first round always: the second one sees a text whose places are no longer the caller's.
static void append_added(const Vocab *v, Str *out, PkgTokenizer *head)
{
    for (int round = 0; round < ADDED_ROUNDS; ++round) {
        VEC(TrieWord) words = { 0 };
        for (int id = 0; id < v->n; ++id) {
            const VocabToken *t = &v->tokens[id];
            const int kind = t->type & TOKEN_KIND;
            const TrieWord word = { t->text, t->bytes, (uint32_t)id };
            if ((kind == TOKEN_ADDED || kind == TOKEN_SPECIAL) && (t->normalized && kind == TOKEN_ADDED) == round &&
                t->bytes)
                vec_push(v->arena, &words, word);
        }
        const PkgTrieCell *cells = trie_build(v->arena, words.at, words.n, &head->added_cells[round]);
        head->added_at[round] = append(out, cells, head->added_cells[round] * sizeof *cells);
    }
}

void vocab_write_tables(const Vocab *v, Tokenizer *out)
{
    PkgTokenizer head = { .pre = v->pre, .vocab = (uint32_t)v->n, .bos = v->bos, .fuse_unknown = v->fuse_unknown };
    head.eos_count = (uint32_t)v->eos_count;
    memcpy(head.eos, v->eos, sizeof head.eos);
    Str tables = str_new(v->arena);
    append(&tables, &head, sizeof head);
    const TokenBytes b = token_bytes(v, &head);
    head.unknown = v->unknown;
    head.text_bytes = (uint32_t)b.text.bytes;
    head.text_at = append(&tables, b.text.text, b.text.bytes);
    head.token_at = append(&tables, b.starts, ((size_t)v->n + 1) * sizeof *b.starts);
    uint8_t *types = arena_alloc(v->arena, (size_t)v->n);
    for (int id = 0; id < v->n; ++id)
        types[id] = v->tokens[id].text ? v->tokens[id].type : TOKEN_UNUSED;
    head.type_at = append(&tables, types, (size_t)v->n);
    append_merges(v, &tables, &head);
    append_words(v, &b, &tables, &head);
    int classes;
    const uint32_t *runs = classes_runs(v->arena, v->pre, &classes);
    head.classes = (uint32_t)classes;
    head.class_at = append(&tables, runs, (size_t)classes * sizeof *runs);
    append_added(v, &tables, &head);
    memcpy(tables.text, &head, sizeof head);
    *out = (Tokenizer){ .tables = tables.text, .bytes = tables.bytes };
}
