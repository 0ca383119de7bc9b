// chat_prompt.c: the ids of a conversation, as the model's chat template writes it.
#include "chat_prompt.h"
#include "rt_error.h"

#include <limits.h>
#include <stdlib.h>

// The runs of bytes that came from the conversation. NULL: no memory; free() it.
static TokenizerRange *find_said(const TemplateText *text, size_t *n)
{
    size_t runs = 0;
    for (size_t i = 0; i < text->bytes; ++i)
        runs += text->user[i] && (i == 0 || !text->user[i - 1]);
    TokenizerRange *found = malloc((runs + 1) * sizeof *found);
    *n = 0;
    for (size_t i = 0; found && i < text->bytes; ++i) {
        if (!text->user[i])
            continue;
        const size_t from = i;
        while (i < text->bytes && text->user[i])
            ++i;
        found[(*n)++] = (TokenizerRange){ from, i };
    }
    return found;
}

RtStatus chat_encode(const TokenizerView *v, const TemplateText *text, ChatIds *out, RtError *error)
{
    *out = (ChatIds){ NULL, 0, 0 };
    size_t n;
    TokenizerRange *said = find_said(text, &n);
    const TokenizerText whole = { .text = text->text, .bytes = text->bytes, .special = true, .literal = said,
                                  .literals = n };
    out->ids = said ? malloc(tokenizer_room(v, text->bytes) * sizeof *out->ids) : NULL;
    const int64_t ids = out->ids ? tokenizer_encode_text(v, &whole, out->ids, &out->lost) : -1;
    free(said);
    if (ids < 0 || ids > INT_MAX) {
        free(out->ids);
        out->ids = NULL;
        return rt_fail(error, ERR_MEMORY, "no memory to split %zu bytes of text into tokens", text->bytes);
    }
    out->n = (int)ids;
    return RT_OK;
}

RtStatus chat_ids(const Template *t, const TemplateInput *in, const TokenizerView *v, ChatIds *out, RtError *error)
{
    TemplateText text;
    *out = (ChatIds){ NULL, 0, 0 };
    if (template_render(t, in, &text, error) != RT_OK)
        return RT_FAILED;
    const RtStatus status = chat_encode(v, &text, out, error);
    template_free(&text);
    return status;
}
