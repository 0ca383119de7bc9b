// chat_prompt.h: the ids of a conversation, as the model's chat template writes it.
#pragma once
#include "template.h"
#include "tokenizer.h"

typedef struct ChatIds {
    uint32_t *ids; // [n], malloc'ed
    int n;
    size_t lost; // bytes that the vocabulary has no token for
} ChatIds;

// The ids of a text that a template made. Special tokens are those that the template writes: in what a message says they are
// text. BOS is there where the template writes it, as transformers' apply_chat_template has it. Error: MEMORY.
RtStatus chat_encode(const TokenizerView *v, const TemplateText *text, ChatIds *out, RtError *error);

// Renders `in` and takes it apart into ids. Errors: those of template_render, MEMORY.
RtStatus chat_ids(const Template *t, const TemplateInput *in, const TokenizerView *v, ChatIds *out, RtError *error);
