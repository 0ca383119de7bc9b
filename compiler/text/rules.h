// rules.h: the parts of tokenizer.json around its model.
#pragma once
#include "vocab.h"

// The steps of a normalizer, pre-tokenizer or decoder: itself, or those of a Sequence, whose member `list` they are.
typedef VEC(Json) Parts;
Parts parts_of(Arena *a, Json whole, const char *list);

// Whether the "type" of an object is this.
bool type_is(Json v, const char *type);

// Set letters, prefix, form, what is rewritten; then the steps, and what else of these the pre-tokenizer says. Errors: TOKENIZER,
// PRE_TOKENIZER.
void rules_read_normalizer(Vocab *v, Json normalizer);
void rules_read_pre(Vocab *v, Json pre);

// Refuses a decoder that does not give the bytes of the tokens, one after the other. Error: TOKENIZER.
void rules_check_decoder(const Vocab *v, Json decoder);
