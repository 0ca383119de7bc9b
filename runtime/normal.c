// normal.c: a text as the tokens are written: blanks, and one in front.
#include "normal.h"

#include "compose.h"
#include "utf8.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

static const char blank[3] = "\xe2\x96\x81"; // U+2581, which SentencePiece writes for a blank

bool normal_want_room(NormalRoom *room, size_t bytes)
{
    if (bytes <= room->block_bytes)
        return true;
    free(room->block);
    room->block = malloc(bytes);
    room->block_bytes = room->block ? bytes : 0;
    return room->block != NULL;
}

static bool wants_prefix(const TokenizerView *v, bool first, const uint8_t *text, size_t bytes)
{
    const uint32_t prefix = v->head->prefix;
    if (!bytes || !(prefix & (first ? PREFIX_FIRST | PREFIX_EVERY : PREFIX_EVERY)))
        return false;
    return !(prefix & PREFIX_NOT_BLANK && text[0] == ' ');
}

bool normal_prefix(const TokenizerView *v, NormalRoom *room, bool first, const uint8_t **text, size_t *bytes)
{
    if (!wants_prefix(v, first, *text, *bytes))
        return true;
    if (!normal_want_room(room, *bytes + 1))
        return false;
    room->block[0] = ' ';
    memcpy(room->block + 1, *text, *bytes);
    *text = room->block;
    *bytes += 1;
    return true;
}

// Blanks for U+2581, behind the prefix if there is one.
static bool write_blanks(NormalRoom *room, bool prefix, const uint8_t **text, size_t *bytes)
{
    if (!normal_want_room(room, *bytes + 1))
        return false;
    size_t n = 0;
    if (prefix)
        room->block[n++] = ' ';
    for (size_t i = 0; i < *bytes; ++i) {
        const bool is_blank = *bytes - i >= sizeof blank && memcmp(*text + i, blank, sizeof blank) == 0;
        room->block[n++] = is_blank ? ' ' : (*text)[i];
        i += is_blank ? sizeof blank - 1 : 0;
    }
    *text = room->block;
    *bytes = n;
    return true;
}

// What stands for the front of a text, of whose bytes *taken are used up: SentencePiece's rewriting, or the same code
// point.
static const uint8_t *rewritten(const TokenizerView *v, const uint8_t *text, size_t bytes, size_t *taken, size_t *n)
{
    const uint32_t at = trie_longest(&v->rewrites, text, bytes, taken);
    if (at < v->head->rewritten_bytes) {
        const char *to = v->rewritten + at;
        *n = strlen(to);
        *n = *n < *taken * v->head->growth ? *n : *taken * v->head->growth;
        return (const uint8_t *)to;
    }
    uint32_t code;
    const int whole = utf8_take(text, bytes, &code);
    *taken = *n = whole > 0 ? (size_t)whole : 1;
    return text;
}

// SentencePiece's own way: rewrite, leave blanks out, put one in front.
static bool rewrite(const TokenizerView *v, NormalRoom *room, bool first, const uint8_t **text, size_t *bytes)
{
    const bool squeeze = v->head->squeeze;
    size_t at = 0, taken = 0, n = 0, made = 0;
    if (!normal_want_room(room, *bytes * v->head->growth + 1))
        return false;
    if (!(v->head->prefix & PREFIX_LATE) && wants_prefix(v, first, *text, *bytes))
        room->block[made++] = ' ';
    for (bool blank_before = squeeze; at < *bytes; at += taken) {
        const uint8_t *to = rewritten(v, *text + at, *bytes - at, &taken, &n);
        for (; n && blank_before && to[0] == ' '; --n)
            ++to;
        if (n)
            blank_before = squeeze && to[n - 1] == ' ';
        for (size_t i = 0; i < n; ++i) {
            const bool is_blank = v->head->blanks && n - i >= sizeof blank && memcmp(to + i, blank, sizeof blank) == 0;
            room->block[made++] = is_blank ? ' ' : to[i];
            i += is_blank ? sizeof blank - 1 : 0;
        }
    }
    while (squeeze && made && room->block[made - 1] == ' ')
        --made;
    *text = room->block;
    *bytes = made;
    return true;
}

static void strip(const TokenizerView *v, bool left, bool right, const uint8_t **text, size_t *bytes)
{
    const size_t from = left ? words_space_after(v, *text, 0, *bytes) : 0;
    *bytes = (right ? words_space_before(v, *text, from, *bytes) : *bytes) - from;
    *text += from;
}

bool normal_text(const TokenizerView *v, NormalRoom *composed, NormalRoom *room, bool first, const uint8_t **text,
                 size_t *bytes)
{
    const uint32_t strips = v->head->strips;
    strip(v, strips & STRIP_LEFT, strips & STRIP_RIGHT, text, bytes);
    if (v->head->form && !compose_text(v, composed, text, bytes))
        return false;
    strip(v, strips & STRIP_LATE_LEFT, strips & STRIP_LATE_RIGHT, text, bytes);
    if (v->head->squeeze || v->head->rewrite_cells)
        return rewrite(v, room, first, text, bytes);
    const bool early = !(v->head->prefix & PREFIX_LATE);
    if (v->head->blanks && memmem(*text, *bytes, blank, sizeof blank)) {
        const bool begins = memcmp(*text, blank, *bytes < sizeof blank ? *bytes : sizeof blank) == 0;
        const uint8_t *seen = begins ? (const uint8_t *)" " : *text;
        return write_blanks(room, early && wants_prefix(v, first, seen, begins ? 1 : *bytes), text, bytes);
    }
    return !early || normal_prefix(v, room, first, text, bytes);
}
