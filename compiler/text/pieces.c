// pieces.c: tokens by the types that SentencePiece gives them, which GGUF took over.
#include "vocab.h"

#include "../base/str.h"

const char *vocab_add_piece(Vocab *v, int id, int64_t type, const char *text, size_t bytes)
{
    const bool byte_level = v->letters == LETTERS_BYTE_LEVEL;
    VocabToken token = { .text = text, .bytes = bytes, .in_model = true }; // neither says which tokens were added
    switch (type) {
    case PIECE_NORMAL:
        break;
    case PIECE_UNKNOWN:
    case PIECE_CONTROL:
        token.type = TOKEN_SPECIAL;
        break;
    case PIECE_USER:
        if (v->model == PKG_UNIGRAM) // the highest score of all is what makes it special
            break;
        token.type = TOKEN_ADDED;
        token.normalized = !byte_level; // SentencePiece looks for them behind its prefix
        break;
    case PIECE_UNUSED:
        if (byte_level)
            return NULL;
        token.type = TOKEN_UNUSED;
        break;
    case PIECE_BYTE:
        token.is_byte = vocab_is_byte(text, bytes, &token.byte);
        if (byte_level || !token.is_byte)
            return str_format(v->arena, "token %d has type 6: %s", id,
                              byte_level ? "1 to 5 are known in a byte-level BPE"
                                         : "its text is none of a byte, as <0x0A>");
        v->byte_fallback = true;
        break;
    default:
        return str_format(v->arena, "token %d has type %lld: 1 to %d are known", id, (long long)type,
                          byte_level ? 5 : 6);
    }
    if (byte_level && token.type != TOKEN_NORMAL) // it is what it says, not what its letters stand for
        token.in_model = !vocab_reads_two_ways(v->arena, text, bytes);
    return vocab_add(v, id, token);
}
