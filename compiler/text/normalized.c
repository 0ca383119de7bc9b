// normalized.c: what the normalizer makes of the text of an added token that is looked for behind it.
#include "vocab.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

static void refuse(const Vocab *v, const VocabToken *t, const char *why)
{
    error_at(loc_file(v->path), ERR_TOKENIZER, "added token \"%.*s\" %s", t->bytes < 60 ? (int)t->bytes : 60, t->text, why);
}

static const char *in_form(const Vocab *v, const VocabToken *t, const char *text)
{
    static const int how[] = { [FORM_NFC] = UTF8PROC_COMPOSE,
                               [FORM_NFD] = UTF8PROC_DECOMPOSE,
                               [FORM_NFKC] = UTF8PROC_COMPOSE | UTF8PROC_COMPAT,
                               [FORM_NFKD] = UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT };
    const CharSet newer = forms_newer(v->arena);
    utf8proc_int32_t code = 0;
    for (size_t at = 0, n = strlen(text); at < n;) {
        const utf8proc_ssize_t bytes = utf8proc_iterate((const uint8_t *)text + at, (utf8proc_ssize_t)(n - at), &code);
        if (bytes <= 0 || charset_has(newer, (uint32_t)code))
            refuse(v, t, "is looked for in a form of Unicode that Hugging Face's normalizers do not know: not supported");
        at += (size_t)bytes;
    }
    utf8proc_uint8_t *made = NULL;
    const utf8proc_option_t options = (utf8proc_option_t)(UTF8PROC_STABLE | how[v->form]);
    const utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)strlen(text), &made, options);
    if (n < 0)
        error_at(NOWHERE, ERR_INTERNAL, "utf8proc: %s", utf8proc_errmsg(n));
    const char *own = str_format(v->arena, "%.*s", (int)n, (const char *)made);
    free(made);
    return own;
}

static const char *rewritten(const Vocab *v, const char *text)
{
    Str out = str_new(v->arena);
    for (size_t at = 0, n = strlen(text); at < n;) {
        utf8proc_int32_t code = 0;
        const utf8proc_ssize_t taken = utf8proc_iterate((const uint8_t *)text + at, (utf8proc_ssize_t)(n - at), &code);
        const size_t bytes = taken > 0 ? (size_t)taken : 1;
        const char *to = taken > 0 ? v->mapping->to[code] : NULL;
        str_add_bytes(&out, to ? to : text + at, to ? strlen(to) : bytes);
        at += bytes;
    }
    return out.bytes ? out.text : "";
}

const char *vocab_normalized(const Vocab *v, const VocabToken *t)
{
    const CharSet spaces = charset_space(v->arena);
    const char *text = str_format(v->arena, "%.*s", (int)t->bytes, t->text);
    utf8proc_int32_t first = 0;
    if (v->strips && ((utf8proc_iterate((const uint8_t *)text, (utf8proc_ssize_t)t->bytes, &first) > 0 && charset_has(spaces, (uint32_t)first)) || strchr(" \t\n\v\f\r", t->text[t->bytes - 1])))
        refuse(v, t, "begins or ends with white space, which the normalizer Strip takes away: not supported");
    if (v->form)
        text = in_form(v, t, text);
    if (v->mapping)
        text = rewritten(v, text);
    if (!*text)
        refuse(v, t, "is nothing behind the normalizer: not supported");
    return v->prepends ? str_format(v->arena, "\xe2\x96\x81%s", text) : text;
}
