// compose.h: Unicode's normal forms.
#pragma once
#include "normal.h"

// Brings a text to the form of the tables (head->form), which lies in room then unless it is in that form already. Bytes that
// are no UTF-8 stay as they are. At most head->form_growth bytes come from one. false: no memory.
bool compose_text(const TokenizerView *v, NormalRoom *room, const uint8_t **text, size_t *bytes);
