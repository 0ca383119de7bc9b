// unigram.c: the pieces of a word with the highest sum of scores, by the best way to each place (Viterbi). Among equal
// ways the first one found stays, as in SentencePiece and Hugging Face's tokenizers: that whose last piece is the
// longest.
#include "unigram.h"

#include "utf8.h"

#include <string.h>

enum { NONE = 0xffffffff };

// The best way to a place of the word.
typedef struct Way {
    double score;
    uint32_t from; // where its last piece begins; NONE: there is no way yet
    uint32_t id;   // of that piece; NONE: a character that no piece has
} Way;

static size_t code_bytes(const uint8_t *word, size_t bytes)
{
    uint32_t code;
    const int n = utf8_take(word, bytes, &code);
    return n > 0 ? (size_t)n : 1;
}

static void offer(const TokenizerView *v, Way *ways, size_t from, size_t to, uint32_t id)
{
    double score = ways[from].score + v->scores[id == NONE ? v->head->vocab : id];
    if (v->head->score_floats)
        score = (double)(float)score;
    if (ways[to].from == NONE || score > ways[to].score)
        ways[to] = (Way){ score, (uint32_t)from, id };
}

static void find_ways(const TokenizerView *v, const uint8_t *word, size_t bytes, Way *ways)
{
    for (size_t i = 0; i <= bytes; ++i)
        ways[i].from = NONE;
    ways[0].score = 0;
    for (size_t from = 0, step; from < bytes; from += step) {
        bool single = false;
        step = code_bytes(word + from, bytes - from);
        uint32_t cell = 0;
        for (size_t to = from; to < bytes && v->pieces.n;) {
            cell = trie_step(&v->pieces, cell, word[to++]);
            if (cell == TRIE_NONE)
                break;
            const uint32_t id = trie_value(&v->pieces, cell);
            if (id >= v->head->vocab)
                continue;
            offer(v, ways, from, to, id);
            single |= to == from + step;
        }
        if (!single)
            offer(v, ways, from, from + step, NONE);
    }
}

// The ids of a character that no piece has, in ids[]: those of its bytes, or one unknown, unless one stands before it.
static int64_t put_unknown(const TokenizerView *v, const uint8_t *text, size_t bytes, bool again, uint32_t *ids,
                           size_t *lost)
{
    const PkgTokenizer *t = v->head;
    bool fallback = t->byte_fallback;
    for (size_t i = 0; i < bytes; ++i)
        fallback = fallback && t->byte_id[text[i]] != NONE;
    for (size_t i = 0; i < bytes && fallback; ++i)
        ids[i] = t->byte_id[text[i]];
    if (fallback)
        return (int64_t)bytes;
    *lost += bytes;
    if (t->unknown < 0 || (again && t->fuse_unknown))
        return 0;
    ids[0] = (uint32_t)t->unknown;
    return 1;
}

int64_t unigram_word(const TokenizerView *v, NormalRoom *room, const uint8_t *word, size_t bytes, uint32_t *ids,
                     size_t *lost)
{
    if (!normal_want_room(room, (bytes + 1) * sizeof(Way)))
        return -1;
    Way *ways = (Way *)room->block;
    find_ways(v, word, bytes, ways);
    size_t next = NONE; // turn the chain around: from the end of each piece to that of the next one
    for (size_t at = bytes; at;) {
        const size_t from = ways[at].from;
        ways[at].from = (uint32_t)next;
        next = at;
        at = from;
    }
    int64_t made = 0;
    bool unknown = false;
    for (size_t from = 0; next != NONE; from = next, next = ways[next].from) {
        const uint32_t id = ways[next].id;
        if (id == NONE)
            made += put_unknown(v, word + from, next - from, unknown, ids + made, lost);
        else
            ids[made++] = id;
        unknown = id == NONE;
    }
    return made;
}
