// sentencepiece.c: tokenizer.model as SentencePiece writes it: a ModelProto (sentencepiece_model.proto in its sources).
#include "protobuf.h"
#include "vocab.h"

#include "../base/str.h"

#include <string.h>

// Fields of the messages that are read.
enum { MODEL_PIECES = 1, MODEL_TRAINER = 2, MODEL_NORMALIZER = 3, MODEL_DENORMALIZER = 5 };
enum { PIECE_TEXT = 1, PIECE_SCORE = 2, PIECE_TYPE = 3 };
enum { TRAINER_KIND = 3, TRAINER_SUFFIX = 24, TRAINER_UNKNOWN = 40, TRAINER_BOS = 41, TRAINER_EOS = 42 };
enum { NORMALIZER_NAME = 1, NORMALIZER_MAP = 2, NORMALIZER_PREFIX = 3, NORMALIZER_SQUEEZE = 4, NORMALIZER_ESCAPE = 5 };
enum { KIND_UNIGRAM = 1, KIND_BPE = 2 };

typedef struct Piece {
    const char *text;
    size_t bytes;
    float score;
    int64_t type;
} Piece;

typedef struct ModelFile {
    const char *path;
    VEC(Piece) pieces;
    int64_t kind, unknown, bos, eos; // ids: -1: none
    bool suffix, prefix, squeeze, escape;
    const uint8_t *map; // [map_bytes] the table that rewrites characters
    size_t map_bytes;
} ModelFile;

static _Noreturn void broken(const ModelFile *f)
{
    error_at(loc_file(f->path), ERR_TOKENIZER,
             "neither a SentencePiece model nor a list of tiktoken: it is cut off or damaged");
}

static Message message_of(const uint8_t *bytes, size_t n)
{
    return (Message){ .at = bytes, .end = bytes + n };
}

static void read_piece(Arena *a, ModelFile *f, const Field *of)
{
    Piece p = { .type = 1 };
    Message m = message_of(of->bytes, of->n);
    for (Field x; protobuf_next(&m, &x);) {
        if (x.number == PIECE_TEXT && x.bytes) {
            p.text = (const char *)x.bytes;
            p.bytes = x.n;
        } else if (x.number == PIECE_SCORE) {
            p.score = protobuf_float(&x);
        } else if (x.number == PIECE_TYPE) {
            p.type = (int64_t)x.value;
        }
    }
    if (m.broken || !p.text)
        broken(f);
    vec_push(a, &f->pieces, p);
}

static void read_trainer(ModelFile *f, const Field *of)
{
    Message m = message_of(of->bytes, of->n);
    for (Field x; protobuf_next(&m, &x);) {
        const int64_t value = (int32_t)x.value;
        if (x.number == TRAINER_KIND)
            f->kind = value;
        else if (x.number == TRAINER_SUFFIX)
            f->suffix = value != 0;
        else if (x.number == TRAINER_UNKNOWN)
            f->unknown = value;
        else if (x.number == TRAINER_BOS)
            f->bos = value;
        else if (x.number == TRAINER_EOS)
            f->eos = value;
    }
    if (m.broken)
        broken(f);
}

static void read_normalizer(ModelFile *f, const Field *of)
{
    Message m = message_of(of->bytes, of->n);
    for (Field x; protobuf_next(&m, &x);) {
        if (x.number == NORMALIZER_MAP) {
            f->map = x.bytes;
            f->map_bytes = x.bytes ? x.n : 0;
        } else if (x.number == NORMALIZER_PREFIX)
            f->prefix = x.value != 0;
        else if (x.number == NORMALIZER_SQUEEZE)
            f->squeeze = x.value != 0;
        else if (x.number == NORMALIZER_ESCAPE)
            f->escape = x.value != 0;
    }
    if (m.broken)
        broken(f);
}

static ModelFile read_file(Arena *a, const char *path, Bytes file)
{
    // What an absent field means is in the proto file.
    ModelFile f = { .path = path,
                    .kind = KIND_UNIGRAM,
                    .unknown = 0,
                    .bos = 1,
                    .eos = 2,
                    .prefix = true,
                    .squeeze = true,
                    .escape = true };
    Message m = message_of(file.at, file.bytes);
    for (Field x; protobuf_next(&m, &x);) {
        if (x.number <= MODEL_DENORMALIZER && x.number >= MODEL_PIECES && !x.bytes)
            broken(&f);
        if (x.number == MODEL_PIECES)
            read_piece(a, &f, &x);
        else if (x.number == MODEL_TRAINER)
            read_trainer(&f, &x);
        else if (x.number == MODEL_NORMALIZER)
            read_normalizer(&f, &x);
    }
    if (m.broken || !f.pieces.n)
        broken(&f);
    return f;
}

static void check_rules(const ModelFile *f)
{
    const Loc at = loc_file(f->path);
    if (f->suffix)
        error_at(at, ERR_TOKENIZER, "treat_whitespace_as_suffix is set: not supported");
    if (!f->escape)
        error_at(at, ERR_TOKENIZER, "escape_whitespaces is not set: not supported");
}

static const char *read_pieces(Vocab *v, const ModelFile *f)
{
    const int n = f->pieces.n;
    float *scores = arena_alloc(v->arena, (size_t)n * sizeof *scores);
    bool *users = arena_alloc(v->arena, (size_t)n * sizeof *users);
    const char *wrong = charsmap_read(v->arena, f->map, f->map_bytes, &v->map);
    for (int id = 0; id < n && !wrong; ++id) {
        const Piece *p = &f->pieces.at[id];
        scores[id] = p->score;
        users[id] = p->type == PIECE_USER;
        wrong = vocab_add_piece(v, id, p->type, p->text, p->bytes);
    }
    if (wrong)
        return wrong;
    if (f->kind == KIND_BPE)
        return vocab_merge_by_scores(v, scores);
    vocab_use_scores(v, scores, users);
    return NULL;
}

Vocab *vocab_read_model(Arena *a, const Model *m, const char *path, Bytes file, const char **why_not)
{
    const ModelFile f = read_file(a, path, file);
    const int n = f.pieces.n;
    if (f.kind != KIND_BPE && f.kind != KIND_UNIGRAM) {
        *why_not = "SentencePiece's words and characters are not in this version";
        return NULL;
    }
    check_rules(&f);
    if (n > m->vocab)
        error_at(loc_file(path), ERR_TOKENIZER, "%d tokens: the model has %d rows", n, m->vocab);
    Vocab *v = vocab_new(a, path, m->vocab, m->vocab);
    v->model = f.kind == KIND_BPE ? PKG_MERGES : PKG_UNIGRAM;
    v->letters = LETTERS_BLANKS;
    v->symbols = PKG_SYMBOLS_CODES;
    v->prefix = f.prefix ? PREFIX_EVERY : PREFIX_NONE;
    v->squeeze = f.squeeze;
    v->fuse_unknown = true;
    const char *wrong = read_pieces(v, &f);
    if (wrong)
        error_at(loc_file(path), ERR_TOKENIZER, "%s", wrong);
    v->unknown = f.unknown < n ? (int)f.unknown : -1;
    v->bos = f.bos < n ? (int)f.bos : -1;
    for (int i = 0; i < m->n_eos; ++i)
        vocab_add_eos(v, m->eos[i]);
    vocab_add_eos(v, f.eos);
    return v;
}
