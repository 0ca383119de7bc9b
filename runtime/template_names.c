// template_names.c: what the numbers of the bytecode stand for: strings, variables, frames of functions.
#include "template_vm.h"

TplText *tpl_const(Tpl *t, uint32_t number)
{
    if (number >= t->head->strings)
        tpl_fail(t, "string %u of %u", number, t->head->strings);
    if (!t->strings[number]) {
        const uint32_t *at = (const uint32_t *)((const uint8_t *)t->head + t->head->string_at);
        t->strings[number] = tpl_string_bytes(t, (const uint8_t *)t->head + t->head->text_at + at[number],
                                              at[number + 1] - at[number], NULL).text;
    }
    return t->strings[number];
}

TplFrame *tpl_frame(Tpl *t, uint32_t function, TplFrame *outer)
{
    if (function >= t->head->functions)
        tpl_fail(t, "function %u of %u", function, t->head->functions);
    TplFrame *frame = tpl_alloc(t, sizeof *frame);
    frame->slots = tpl_alloc(t, (t->functions[function].slots + 1) * sizeof *frame->slots);
    frame->outer = outer;
    frame->function = function;
    return frame;
}

TplValue tpl_global(Tpl *t, TplText *name)
{
    static const char *const functions[] = {
#define FUNCTION_NAME(id, name) name,
        TEMPLATE_FUNCTIONS(FUNCTION_NAME)
#undef FUNCTION_NAME
    };
    const TplValue *found = tpl_dict_find(t, t->variables, (TplValue){ .type = TPL_STRING, .text = name });
    if (found)
        return *found;
    for (uint32_t i = 0; i < TEMPLATE_FUNCTION_COUNT; ++i)
        if (tpl_text_is(name, functions[i]))
            return (TplValue){ .type = TPL_FUNCTION, .number = i };
    return (TplValue){ .type = TPL_ABSENT };
}

TplValue tpl_undefined_name(Tpl *t, const TplText *name)
{
    TplBuffer *b = tpl_buffer(t, name->bytes + 24);
    tpl_put(t, b, "'", 1, NULL);
    tpl_put_text(t, b, name);
    tpl_put(t, b, "' is undefined", 14, NULL);
    const TplValue why = tpl_text_of(t, b);
    return (TplValue){ .type = TPL_UNDEFINED, .text = why.text };
}

// A slot's value, undefined by the slot's name where nothing was stored.
TplValue tpl_loaded(Tpl *t, const TplFrame *frame, const TplValue *at)
{
    if (at->type != TPL_ABSENT)
        return *at;
    const uint32_t *names = (const uint32_t *)((const uint8_t *)t->head + t->head->int_at);
    const PkgFunction *f = &t->functions[frame->function];
    return tpl_undefined_name(t, tpl_const(t, names[f->first_int + (uint32_t)(at - frame->slots)]));
}
