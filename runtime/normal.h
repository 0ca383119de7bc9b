// normal.h: a text as the tokens are written: blanks, and one in front.
#pragma once
#include "tokenizer.h"

// Where a changed text lies. Start from zeros; free(block) at the end.
typedef struct NormalRoom {
    uint8_t *block; // malloc'ed
    size_t block_bytes;
} NormalRoom;

// Makes room for that many bytes; what was there is gone. false: no memory.
bool normal_want_room(NormalRoom *room, size_t bytes);

// Changes a section of a text, which lies in one of the rooms then unless it stays as it is; `first`: the text begins
// with it. false: no memory.
bool normal_text(const TokenizerView *v, NormalRoom *composed, NormalRoom *room, bool first, const uint8_t **text,
                 size_t *bytes);

// Puts a blank in front of a section as head->prefix says, whether LATE or not.
bool normal_prefix(const TokenizerView *v, NormalRoom *room, bool first, const uint8_t **text, size_t *bytes);
