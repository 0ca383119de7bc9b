// compose.h: Unicode's form NFC.
#pragma once
#include "normal.h"

// Brings a text to NFC, which lies in room then unless it is in that form already. Bytes that are no UTF-8 stay as they
// are. At most three bytes come from one. false: no memory.
bool compose_text(const TokenizerView *v, NormalRoom *room, const uint8_t **text, size_t *bytes);
