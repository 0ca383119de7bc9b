// template_format.c: str.format, as far as templates use it: {}, {0}, {name}, {{ and }}.
#include "template_vm.h"

#include <string.h>

typedef struct Format {
    const TplValue *args;
    uint32_t n, next; // next: of the fields without a number
    bool counted, numbered;
    const TplDict *named;
} Format;

static TplValue field(Tpl *t, Format *f, const TplText *name)
{
    int64_t number;
    if (memchr(name->at, '.', name->bytes) || memchr(name->at, '[', name->bytes) || memchr(name->at, '!', name->bytes) ||
        memchr(name->at, ':', name->bytes))
        tpl_fail(t, "format() with a field {%.*s} is not supported", (int)name->bytes, (const char *)name->at);
    const bool counted = name->bytes == 0, numbered = !counted && name->at[0] >= '0' && name->at[0] <= '9';
    f->counted |= counted;
    f->numbered |= numbered;
    if (f->counted && f->numbered)
        tpl_fail(t, "format() with fields that have numbers and such that have none");
    if (!counted && !numbered) {
        const TplValue *value = tpl_dict_find(t, f->named, (TplValue){ .type = TPL_STRING, .text = (TplText *)name });
        if (!value)
            tpl_fail(t, "format() is not given \"%.*s\"", (int)name->bytes, (const char *)name->at);
        return *value;
    }
    if (counted)
        number = f->next++;
    else if (!tpl_text_to_int(name, 10, &number))
        number = -1;
    if (number < 0 || number >= f->n)
        tpl_fail(t, "format() is given %u values, not enough", f->n);
    return f->args[number];
}

TplValue tpl_format(Tpl *t, const TplText *format, const TplValue *args, uint32_t n, const TplDict *named)
{
    Format f = { .args = args, .n = n, .named = named };
    TplBuffer *b = tpl_buffer(t, format->bytes + 32);
    if (format->markup)
        tpl_fail(t, "format() of a safe string is not supported");
    for (uint32_t i = 0; i < format->bytes; ++i) {
        const uint8_t c = format->at[i];
        if (c != '{' && c != '}') {
            tpl_put(t, b, format->at + i, 1, format->marks ? format->marks + i : NULL);
            continue;
        }
        if (i + 1 < format->bytes && format->at[i + 1] == c) {
            tpl_put(t, b, format->at + i++, 1, NULL);
            continue;
        }
        const uint8_t *end = c == '{' ? memchr(format->at + i, '}', format->bytes - i) : NULL;
        if (!end)
            tpl_fail(t, "format() of a string with a single brace");
        const uint32_t close = (uint32_t)(end - format->at);
        tpl_print(t, b, field(t, &f, tpl_part(t, format, i + 1, close).text));
        i = close;
    }
    return tpl_text_of(t, b);
}
