// template_call.c: calls of macros, methods and the functions that every template has.
#include "template_vm.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// What a call is given: positional values, then pairs of name and value.
typedef struct Given {
    const TplValue *args;
    uint32_t n, pairs;
} Given;

static TplValue name_of(Given g, uint32_t pair)
{
    return g.args[g.n + 2 * pair];
}

static TplValue value_of(Given g, uint32_t pair)
{
    return g.args[g.n + 2 * pair + 1];
}

// ---- macros -------------------------------------------------------------------------------------------------------

static const uint32_t *slot_names(const Tpl *t, const PkgFunction *f)
{
    return (const uint32_t *)((const uint8_t *)t->head + t->head->int_at) + f->first_int;
}

static bool is_parameter(Tpl *t, const PkgFunction *f, uint32_t slot, TplValue name)
{
    return tpl_text_equal(tpl_const(t, slot_names(t, f)[slot]), name.text);
}

// Named arguments into the parameters that no positional one has filled; the others into `rest`.
static void bind_names(Tpl *t, const PkgFunction *f, TplFrame *frame, Given g, TplDict *rest)
{
    const uint32_t filled = g.n < f->parameters ? g.n : f->parameters;
    for (uint32_t k = 0; k < g.pairs; ++k) {
        uint32_t slot = filled;
        while (slot < f->parameters && !is_parameter(t, f, slot, name_of(g, k)))
            ++slot;
        if (slot < f->parameters)
            frame->slots[slot] = value_of(g, k);
        else
            tpl_dict_set(t, rest, name_of(g, k), value_of(g, k));
    }
}

// `caller` is a parameter of its own where the macro asks for it.
static TplValue take_caller(Tpl *t, TplDict *rest)
{
    for (uint32_t i = 0; i < rest->n; ++i)
        if (tpl_text_is(rest->at[i].key.text, "caller")) {
            const TplValue caller = rest->at[i].value;
            TplDict *others = tpl_dict_new(t, rest->n);
            for (uint32_t k = 0; k < rest->n; ++k)
                if (k != i)
                    tpl_dict_set(t, others, rest->at[k].key, rest->at[k].value);
            *rest = *others;
            if (caller.type != TPL_NONE)
                return caller;
        }
    return tpl_undefined(t, "there is no caller");
}

static void refuse_rest(Tpl *t, const PkgFunction *f, Given g, const TplDict *rest)
{
    if (!(f->flags & FUNCTION_KWARGS) && rest->n)
        tpl_fail(t, "a macro has no parameter \"%.*s\" left", (int)rest->at[0].key.text->bytes,
                 (const char *)rest->at[0].key.text->at);
    if (!(f->flags & FUNCTION_VARARGS) && g.n > f->parameters)
        tpl_fail(t, "a macro of %u parameters is given %u", f->parameters, g.n);
}

static TplValue call_macro(Tpl *t, const TplMacro *macro, Given g)
{
    const PkgFunction *f = &t->functions[macro->function];
    TplFrame *frame = tpl_frame(t, macro->function, macro->outer);
    uint32_t slot = f->parameters;
    const uint32_t extra = !!(f->flags & FUNCTION_CALLER) + !!(f->flags & FUNCTION_KWARGS) + !!(f->flags & FUNCTION_VARARGS);
    if (f->slots < f->parameters + extra)
        tpl_fail(t, "a macro has fewer slots than parameters");
    for (uint32_t i = 0; i < g.n && i < f->parameters; ++i)
        frame->slots[i] = g.args[i];
    TplDict *rest = tpl_dict_new(t, g.pairs);
    bind_names(t, f, frame, g, rest);
    if (f->flags & FUNCTION_CALLER)
        frame->slots[slot++] = take_caller(t, rest);
    refuse_rest(t, f, g, rest);
    if (f->flags & FUNCTION_KWARGS)
        frame->slots[slot++] = (TplValue){ .type = TPL_DICT, .dict = rest };
    if (f->flags & FUNCTION_VARARGS) {
        const uint32_t n = g.n > f->parameters ? g.n - f->parameters : 0;
        const TplValue more = tpl_list(t, n, TPL_TUPLE);
        for (uint32_t i = 0; i < n; ++i)
            more.list->at[i] = g.args[f->parameters + i];
        frame->slots[slot] = more;
    }
    return tpl_run(t, frame);
}

// ---- methods ------------------------------------------------------------------------------------------------------

typedef struct Signature {
    const char *name, *parameters;
    int positional; // the first so many cannot be named
} Signature;

static const Signature signatures[] = {
#define METHOD_SIGNATURE(id, name, types, parameters, needed, positional) { name, parameters, positional },
    TEMPLATE_METHODS(METHOD_SIGNATURE)
#undef METHOD_SIGNATURE
};

// The place of a word among words; -1: it is not there.
static int word_index(const char *words, const TplText *word)
{
    int index = 0;
    for (const char *s = words; *s; ++index) {
        const size_t n = strcspn(s, " ");
        if (n == word->bytes && memcmp(s, word->at, n) == 0)
            return index;
        s += n + (s[n] == ' ');
    }
    return -1;
}

static int word_count(const char *words)
{
    int n = *words != 0;
    for (const char *s = words; *s; ++s)
        n += *s == ' ';
    return n;
}

static TplValue format_call(Tpl *t, const TplMethod *m, Given g)
{
    TplDict *named = tpl_dict_new(t, g.pairs);
    for (uint32_t i = 0; i < g.pairs; ++i)
        tpl_dict_set(t, named, name_of(g, i), value_of(g, i));
    return tpl_format(t, m->of.text, g.args, g.n, named);
}

static TplValue cycle_call(Tpl *t, const TplMethod *m, Given g)
{
    if (!g.n || g.pairs)
        tpl_fail(t, "cycle() needs values");
    const int64_t index = m->of.loop->index0 < 0 ? 0 : m->of.loop->index0;
    return g.args[index % g.n];
}

static TplValue call_method(Tpl *t, const TplMethod *m, Given g)
{
    TplValue all[TEMPLATE_METHOD_ARGUMENTS];
    if (m->number == TMETHOD_FORMAT)
        return format_call(t, m, g);
    if (m->number == TMETHOD_CYCLE)
        return cycle_call(t, m, g);
    if (m->number < 0 || m->number >= TEMPLATE_METHOD_COUNT)
        return tpl_method(t, m, NULL, 0);
    const Signature *s = &signatures[m->number];
    const uint32_t room = (uint32_t)word_count(s->parameters);
    if (g.n > room || room > TEMPLATE_METHOD_ARGUMENTS)
        tpl_fail(t, "%s() takes at most %u arguments", s->name, room);
    memset(all, 0, sizeof all);
    for (uint32_t i = 0; i < g.n; ++i)
        all[i] = g.args[i];
    for (uint32_t i = 0; i < g.pairs; ++i) {
        const int at = word_index(s->parameters, name_of(g, i).text);
        if (at < s->positional || all[at].type != TPL_ABSENT)
            tpl_fail(t, "%s() has no argument of the name \"%.*s\" left", s->name, (int)name_of(g, i).text->bytes,
                     (const char *)name_of(g, i).text->at);
        all[at] = value_of(g, i);
    }
    return tpl_method(t, m, all, room);
}

// ---- functions ----------------------------------------------------------------------------------------------------

// dict(...) and namespace(...): a dict or pairs, then names.
static TplDict *new_dict(Tpl *t, Given g)
{
    TplDict *d = tpl_dict_new(t, g.pairs);
    if (g.n > 1)
        tpl_fail(t, "dict() and namespace() take one value without a name");
    if (g.n && g.args[0].type == TPL_DICT) {
        for (uint32_t i = 0; i < g.args[0].dict->n; ++i)
            tpl_dict_set(t, d, g.args[0].dict->at[i].key, g.args[0].dict->at[i].value);
    } else if (g.n) {
        TplValue item;
        TplCursor c = tpl_walk(t, g.args[0]);
        while (tpl_next(t, &c, &item)) {
            const TplValue both = tpl_items(t, item);
            if (both.list->n != 2)
                tpl_fail(t, "dict() is given what is no pair");
            tpl_dict_set(t, d, both.list->at[0], both.list->at[1]);
        }
    }
    for (uint32_t i = 0; i < g.pairs; ++i)
        tpl_dict_set(t, d, name_of(g, i), value_of(g, i));
    return d;
}

static TplValue range(Tpl *t, Given g)
{
    int64_t n[3] = { 0, 0, 1 };
    if (g.n < 1 || g.n > 3 || g.pairs)
        tpl_fail(t, "range() takes one to three numbers");
    for (uint32_t i = 0; i < g.n; ++i) {
        if (!tpl_is_whole(g.args[i])) {
            tpl_want_defined(t, g.args[i]);
            tpl_fail(t, "range() is given a %s", tpl_type_name(g.args[i]));
        }
        n[g.n == 1 ? 1 : i] = tpl_whole(g.args[i]);
    }
    if (n[2] == 0)
        tpl_fail(t, "the step of range() is 0");
    const bool up = n[2] > 0;
    uint64_t count = 0;
    if (up ? n[1] > n[0] : n[1] < n[0]) {
        const uint64_t way = up ? (uint64_t)n[1] - (uint64_t)n[0] : (uint64_t)n[0] - (uint64_t)n[1];
        count = (way - 1) / (up ? (uint64_t)n[2] : 0 - (uint64_t)n[2]) + 1;
    }
    if (count > TPL_RANGE)
        tpl_fail(t, "range() of more than %d numbers", TPL_RANGE);
    TplRange *r = tpl_alloc(t, sizeof *r);
    *r = (TplRange){ .start = n[0], .step = n[2], .stop = n[1], .n = (uint32_t)count };
    return (TplValue){ .type = TPL_RANGE_OF, .range = r };
}

// strftime with the directives of C99; Python's %f (a fraction of a second) is not among them, %z and %Z are empty.
static TplValue strftime_now(Tpl *t, Given g)
{
    TplBuffer *b = tpl_buffer(t, 64);
    char one[8], out[128];
    if (g.n != 1 || g.pairs || g.args[0].type != TPL_STRING)
        tpl_fail(t, "strftime_now() takes one string");
    const TplText *format = g.args[0].text;
    for (uint32_t i = 0; i < format->bytes; ++i) {
        if (format->at[i] != '%') {
            tpl_put(t, b, format->at + i, 1, NULL);
            continue;
        }
        const bool bare = i + 1 < format->bytes && format->at[i + 1] == '-'; // GNU's: no padding
        const uint8_t letter = i + 1 + bare < format->bytes ? format->at[i + 1 + bare] : 0;
        if (letter == 'z' || letter == 'Z') {
            i += 1 + bare;
            continue;
        }
        if (!letter || !strchr("aAbBcCdDeFgGhHIjklmMnprRsStTuUVwWxXyY%", letter))
            tpl_fail(t, "strftime_now() does not know %%%c", letter ? letter : ' ');
        snprintf(one, sizeof one, "%%%s%c", bare ? "-" : "", letter);
        tpl_put(t, b, out, strftime(out, sizeof out, one, t->now), NULL);
        i += 1 + bare;
    }
    return tpl_text_of(t, b);
}

static TplValue call_function(Tpl *t, uint32_t number, Given g)
{
    switch (number) {
    case TFUNCTION_DICT:
        return (TplValue){ .type = TPL_DICT, .dict = new_dict(t, g) };
    case TFUNCTION_NAMESPACE:
        return (TplValue){ .type = TPL_NAMESPACE, .dict = new_dict(t, g) };
    case TFUNCTION_RAISE_EXCEPTION:
        tpl_refuse(t, g.n ? tpl_str(t, g.args[0]).text : tpl_string(t, "").text);
    case TFUNCTION_RANGE:
        return range(t, g);
    case TFUNCTION_STRFTIME_NOW:
        return strftime_now(t, g);
    default:
        tpl_fail(t, "function %u", number);
    }
}

TplValue tpl_call(Tpl *t, TplValue callee, const TplValue *args, uint32_t n, uint32_t pairs)
{
    const Given g = { args, n, pairs };
    for (uint32_t i = 0; i < pairs; ++i)
        if (name_of(g, i).type != TPL_STRING)
            tpl_fail(t, "an argument's name is no string");
    switch (callee.type) {
    case TPL_MACRO:
        return call_macro(t, callee.macro, g);
    case TPL_METHOD:
        return call_method(t, callee.method, g);
    case TPL_FUNCTION:
        return call_function(t, callee.number, g);
    default:
        tpl_want_defined(t, callee);
        tpl_fail(t, "a %s is called", tpl_type_name(callee));
    }
}
