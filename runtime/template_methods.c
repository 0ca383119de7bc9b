// template_methods.c: the methods of strings, lists and dicts that a template may call, and all names of Python's.
#include "template_vm.h"

#include <string.h>

typedef struct MethodInfo {
    const char *name, *parameters;
    int types, needed;
} MethodInfo;

static const MethodInfo methods[] = {
#define METHOD_INFO(id, name, types, parameters, needed, positional) { name, parameters, types, needed },
    TEMPLATE_METHODS(METHOD_INFO)
#undef METHOD_INFO
};

// Attributes of Python's types that are no methods here: they are there (`x.encode is defined`), but calling one fails.
static const struct {
    int type;
    const char *names;
} others[] = {
    { ON_STRING, " casefold center encode expandtabs format_map isalnum isalpha isascii isdecimal isdigit isidentifier"
                 " islower isnumeric isprintable isspace istitle isupper ljust maketrans rindex rjust swapcase translate"
                 " zfill " },
    { ON_DICT, " fromkeys " },
};

// These change a list or a dict: the sandbox gives nothing for their names.
static const char list_changes[] = " append clear extend insert pop remove reverse sort ";
static const char dict_changes[] = " clear pop popitem setdefault update ";

static bool in_words(const char *words, const TplText *name)
{
    for (const char *s = strchr(words, ' '); s && s[1]; s = strchr(s + 1, ' '))
        if (strncmp(s + 1, (const char *)name->at, name->bytes) == 0 && s[1 + name->bytes] == ' ')
            return true;
    return false;
}

static int type_bit(TplValue v)
{
    switch (v.type) {
    case TPL_STRING:
        return ON_STRING;
    case TPL_LIST:
        return ON_LIST;
    case TPL_TUPLE:
        return ON_TUPLE;
    case TPL_DICT:
        return ON_DICT;
    case TPL_LOOP:
        return ON_LOOP;
    default:
        return 0;
    }
}

static TplValue method_of(Tpl *t, TplValue of, int number, const TplText *name)
{
    TplMethod *m = tpl_alloc(t, sizeof *m);
    *m = (TplMethod){ of, number, name };
    return (TplValue){ .type = TPL_METHOD, .method = m };
}

TplValue tpl_find_method(Tpl *t, TplValue of, const TplText *name)
{
    const int type = type_bit(of);
    if (!type || !name->bytes || memchr(name->at, ' ', name->bytes) || memchr(name->at, 0, name->bytes))
        return (TplValue){ .type = TPL_ABSENT };
    for (int i = 0; i < TEMPLATE_METHOD_COUNT; ++i)
        if ((methods[i].types & type) && tpl_text_is(name, methods[i].name))
            return method_of(t, of, i, name);
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (others[i].type == type && in_words(others[i].names, name))
            return method_of(t, of, -1, name);
    if ((type == ON_LIST && in_words(list_changes, name)) || (type == ON_DICT && in_words(dict_changes, name)))
        return tpl_undefined(t, "a method that changes a list or a dict: templates may not do that");
    return (TplValue){ .type = TPL_ABSENT };
}

// ---- arguments ----------------------------------------------------------------------------------------------------

static const TplText *want_text(Tpl *t, TplValue v, const char *what)
{
    if (v.type != TPL_STRING) {
        tpl_want_defined(t, v);
        tpl_fail(t, "%s is a %s, not a string", what, tpl_type_name(v));
    }
    return v.text;
}

static bool given(TplValue v)
{
    return v.type != TPL_ABSENT && v.type != TPL_NONE;
}

static int64_t whole_or(Tpl *t, TplValue v, int64_t otherwise)
{
    if (!given(v))
        return otherwise;
    if (!tpl_is_whole(v))
        tpl_fail(t, "a number is wanted, not a %s", tpl_type_name(v));
    return tpl_whole(v);
}

// The byte range that the arguments start and end of find, count ... mean. False: start is behind the end.
static bool range_of(Tpl *t, TplText *in, TplValue start, TplValue end, size_t *from, size_t *to)
{
    *from = 0;
    *to = in->bytes;
    if (!given(start) && !given(end))
        return true;
    const int64_t count = tpl_count(t, in);
    int64_t first = whole_or(t, start, 0), last = whole_or(t, end, count);
    first = first < -count ? 0 : first < 0 ? first + count : first;
    last = last < -count ? 0 : last < 0 ? last + count : last > count ? count : last;
    if (first > last)
        return false;
    *from = tpl_offset(t, in, (uint64_t)first);
    *to = tpl_offset(t, in, (uint64_t)last);
    return true;
}

// ---- strings ------------------------------------------------------------------------------------------------------

static TplValue index_at(Tpl *t, TplText *in, int64_t at)
{
    TplValue before = tpl_part(t, in, 0, (size_t)at);
    return tpl_int(tpl_count(t, before.text));
}

static TplValue find(Tpl *t, TplText *in, const TplValue *args, int number)
{
    const TplText *what = want_text(t, args[0], "what is looked for");
    size_t from, to;
    int64_t at = -1;
    if (range_of(t, in, args[1], args[2], &from, &to))
        at = number == TMETHOD_RFIND ? tpl_find_last(t, in, what, from, to) : tpl_find(t, in, what, from, to);
    if (at < 0 && number == TMETHOD_INDEX)
        tpl_fail(t, "index() does not find the text");
    return at < 0 ? tpl_int(-1) : index_at(t, in, at);
}

static TplValue count(Tpl *t, TplText *in, const TplValue *args)
{
    const TplText *what = want_text(t, args[0], "what is counted");
    size_t from, to;
    int64_t n = 0, at;
    if (!range_of(t, in, args[1], args[2], &from, &to))
        return tpl_int(0);
    if (!what->bytes) {
        TplValue part = tpl_part(t, in, from, to);
        return tpl_int((int64_t)tpl_count(t, part.text) + 1);
    }
    for (; (at = tpl_find(t, in, what, from, to)) >= 0; ++n)
        from = (size_t)at + what->bytes;
    return tpl_int(n);
}

static bool begins_or_ends(const TplText *part, const TplText *with, bool at_end)
{
    return with->bytes <= part->bytes &&
           memcmp(at_end ? part->at + part->bytes - with->bytes : part->at, with->at, with->bytes) == 0;
}

static TplValue starts(Tpl *t, TplText *in, const TplValue *args, bool at_end)
{
    size_t from, to;
    if (args[0].type != TPL_TUPLE)
        want_text(t, args[0], "what a string is compared with");
    if (!range_of(t, in, args[1], args[2], &from, &to))
        return tpl_bool(false);
    const TplText *part = tpl_part(t, in, from, to).text;
    if (args[0].type == TPL_STRING)
        return tpl_bool(begins_or_ends(part, args[0].text, at_end));
    for (uint32_t i = 0; i < args[0].list->n; ++i)
        if (begins_or_ends(part, want_text(t, args[0].list->at[i], "what a string is compared with"), at_end))
            return tpl_bool(true);
    return tpl_bool(false);
}

// Parts that grow into a list.
typedef struct Parts {
    TplValue *at;
    uint32_t n, cap;
} Parts;

static void add_part(Tpl *t, Parts *p, TplValue v)
{
    if (p->n == p->cap) {
        TplValue *more = tpl_alloc(t, (size_t)(p->cap * 2 + 8) * sizeof *more);
        if (p->n)
            memcpy(more, p->at, p->n * sizeof *more);
        p->at = more;
        p->cap = p->cap * 2 + 8;
    }
    p->at[p->n++] = v;
}

static TplValue list_of(Tpl *t, const Parts *p)
{
    const TplValue v = tpl_list(t, 0, TPL_LIST);
    *v.list = (TplList){ p->at, p->n };
    return v;
}

static TplValue split_spaces(Tpl *t, const TplText *in, int64_t most)
{
    Parts parts = { 0 };
    uint32_t code;
    size_t at = 0, n;
    tpl_spend(t, in->bytes / 4);
    while (at < in->bytes) {
        while (at < in->bytes && (n = (size_t)tpl_take(in->at + at, in->bytes - at, &code)) && tpl_is_space(code))
            at += n;
        if (at == in->bytes)
            break;
        const size_t from = at;
        if (most == 0) {
            add_part(t, &parts, tpl_strip(t, tpl_part(t, in, from, in->bytes).text, NULL, false, true));
            break;
        }
        while (at < in->bytes && (n = (size_t)tpl_take(in->at + at, in->bytes - at, &code)) && !tpl_is_space(code))
            at += n;
        add_part(t, &parts, tpl_part(t, in, from, at));
        most -= most > 0;
    }
    return list_of(t, &parts);
}

static TplValue split(Tpl *t, const TplText *in, const TplValue *args)
{
    Parts parts = { 0 };
    int64_t most = whole_or(t, args[1], -1), at;
    size_t from = 0;
    if (!given(args[0]))
        return split_spaces(t, in, most);
    const TplText *by = want_text(t, args[0], "what a string is split by");
    if (!by->bytes)
        tpl_fail(t, "a string is split by an empty one");
    for (; most != 0 && (at = tpl_find(t, in, by, from, in->bytes)) >= 0; most -= most > 0) {
        add_part(t, &parts, tpl_part(t, in, from, (size_t)at));
        from = (size_t)at + by->bytes;
    }
    add_part(t, &parts, tpl_part(t, in, from, in->bytes));
    return list_of(t, &parts);
}

// From the end; without a limit it is the same as split.
static TplValue split_last(Tpl *t, const TplText *in, const TplValue *args)
{
    Parts parts = { 0 };
    int64_t most = whole_or(t, args[1], -1), at;
    size_t to = in->bytes;
    if (most < 0)
        return split(t, in, args);
    if (!given(args[0]))
        tpl_fail(t, "rsplit() with a limit needs a separator here");
    const TplText *by = want_text(t, args[0], "what a string is split by");
    if (!by->bytes)
        tpl_fail(t, "a string is split by an empty one");
    for (; most != 0 && (at = tpl_find_last(t, in, by, 0, to)) >= 0; most -= most > 0) {
        add_part(t, &parts, tpl_part(t, in, (size_t)at + by->bytes, to));
        to = (size_t)at;
    }
    add_part(t, &parts, tpl_part(t, in, 0, to));
    for (uint32_t i = 0; i < parts.n / 2; ++i) {
        const TplValue kept = parts.at[i];
        parts.at[i] = parts.at[parts.n - 1 - i];
        parts.at[parts.n - 1 - i] = kept;
    }
    return list_of(t, &parts);
}

static bool ends_line(uint32_t c)
{
    return (c >= 10 && c <= 13) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

TplValue tpl_lines(Tpl *t, const TplText *in, bool keep)
{
    Parts parts = { 0 };
    uint32_t code;
    size_t from = 0, at = 0;
    tpl_spend(t, in->bytes / 4);
    while (at < in->bytes) {
        const size_t end = at;
        at += (size_t)tpl_take(in->at + at, in->bytes - at, &code);
        if (!ends_line(code))
            continue;
        if (code == '\r' && at < in->bytes && in->at[at] == '\n')
            ++at;
        add_part(t, &parts, tpl_part(t, in, from, keep ? at : end));
        from = at;
    }
    if (from < in->bytes)
        add_part(t, &parts, tpl_part(t, in, from, in->bytes));
    return list_of(t, &parts);
}

static TplValue partition(Tpl *t, const TplText *in, const TplValue *args, bool last)
{
    const TplText *by = want_text(t, args[0], "what a string is split by");
    if (!by->bytes)
        tpl_fail(t, "a string is split by an empty one");
    const int64_t at = last ? tpl_find_last(t, in, by, 0, in->bytes) : tpl_find(t, in, by, 0, in->bytes);
    const TplValue v = tpl_list(t, 3, TPL_TUPLE);
    for (int i = 0; i < 3; ++i)
        v.list->at[i] = tpl_string(t, "");
    if (at < 0) {
        v.list->at[last ? 2 : 0] = tpl_part(t, in, 0, in->bytes);
        return v;
    }
    v.list->at[0] = tpl_part(t, in, 0, (size_t)at);
    v.list->at[1] = tpl_part(t, in, (size_t)at, (size_t)at + by->bytes);
    v.list->at[2] = tpl_part(t, in, (size_t)at + by->bytes, in->bytes);
    return v;
}

static TplValue join(Tpl *t, const TplText *by, TplValue items)
{
    TplBuffer *b = tpl_buffer(t, 64);
    TplCursor c = tpl_walk(t, items);
    TplValue item;
    for (bool first = true; tpl_next(t, &c, &item); first = false) {
        if (!first)
            tpl_put_text(t, b, by);
        const TplText *text = want_text(t, item, "an item to join");
        tpl_put_text(t, b, by->markup && !text->markup ? tpl_escaped(t, text).text : text);
    }
    const TplValue v = tpl_text_of(t, b);
    v.text->markup = by->markup;
    return v;
}

static TplValue replace(Tpl *t, const TplText *in, const TplValue *args)
{
    const TplText *old = want_text(t, args[0], "what is replaced"), *with = want_text(t, args[1], "what it is replaced with");
    if (in->markup && !with->markup)
        with = tpl_escaped(t, with).text;
    const TplValue v = tpl_replaced(t, in, old, with, whole_or(t, args[2], -1));
    v.text->markup = in->markup;
    return v;
}

static TplValue without(Tpl *t, const TplText *in, TplValue what, bool at_end)
{
    const TplText *part = want_text(t, what, "what is removed");
    if (!begins_or_ends(in, part, at_end))
        return tpl_part(t, in, 0, in->bytes);
    return at_end ? tpl_part(t, in, 0, in->bytes - part->bytes) : tpl_part(t, in, part->bytes, in->bytes);
}

static TplValue strip(Tpl *t, const TplText *in, TplValue chars, bool left, bool right)
{
    return tpl_strip(t, in, given(chars) ? want_text(t, chars, "what is stripped") : NULL, left, right);
}

static TplValue string_method(Tpl *t, int number, TplText *in, const TplValue *args)
{
    switch (number) {
    case TMETHOD_CAPITALIZE:
        return tpl_capitalized(t, in);
    case TMETHOD_COUNT:
        return count(t, in, args);
    case TMETHOD_ENDSWITH:
        return starts(t, in, args, true);
    case TMETHOD_STARTSWITH:
        return starts(t, in, args, false);
    case TMETHOD_FIND:
    case TMETHOD_RFIND:
    case TMETHOD_INDEX:
        return find(t, in, args, number);
    case TMETHOD_JOIN:
        return join(t, in, args[0]);
    case TMETHOD_LOWER:
        return tpl_cased(t, in, TPL_LOWER);
    case TMETHOD_UPPER:
        return tpl_cased(t, in, TPL_UPPER);
    case TMETHOD_TITLE:
        return tpl_cased(t, in, TPL_TITLE);
    case TMETHOD_LSTRIP:
        return strip(t, in, args[0], true, false);
    case TMETHOD_RSTRIP:
        return strip(t, in, args[0], false, true);
    case TMETHOD_STRIP:
        return strip(t, in, args[0], true, true);
    case TMETHOD_PARTITION:
        return partition(t, in, args, false);
    case TMETHOD_RPARTITION:
        return partition(t, in, args, true);
    case TMETHOD_REMOVEPREFIX:
        return without(t, in, args[0], false);
    case TMETHOD_REMOVESUFFIX:
        return without(t, in, args[0], true);
    case TMETHOD_REPLACE:
        return replace(t, in, args);
    case TMETHOD_SPLIT:
        return split(t, in, args);
    case TMETHOD_RSPLIT:
        return split_last(t, in, args);
    default:
        return tpl_lines(t, in, args[0].type != TPL_ABSENT && tpl_truth(args[0]));
    }
}

// ---- lists and dicts ----------------------------------------------------------------------------------------------

static TplValue list_method(Tpl *t, int number, TplValue of, const TplValue *args)
{
    int64_t n = 0;
    if (number == TMETHOD_COPY)
        return of;
    for (uint32_t i = 0; i < of.list->n; ++i) {
        const bool equal = tpl_equal(t, of.list->at[i], args[0]);
        if (equal && number == TMETHOD_INDEX)
            return tpl_int(i);
        n += equal;
    }
    if (number == TMETHOD_INDEX)
        tpl_fail(t, "index() does not find the value");
    return tpl_int(n);
}

static TplValue dict_method(Tpl *t, int number, TplValue of, const TplValue *args)
{
    TplValue view = { .type = TPL_VIEW, .dict = of.dict };
    switch (number) {
    case TMETHOD_GET: {
        const TplValue *found = tpl_dict_find(t, of.dict, args[0]);
        return found ? *found : args[1].type == TPL_ABSENT ? tpl_none() : args[1];
    }
    case TMETHOD_ITEMS:
        view.number = TPL_ITEMS;
        return view;
    case TMETHOD_KEYS:
        view.number = TPL_KEYS;
        return view;
    case TMETHOD_VALUES:
        view.number = TPL_VALUES;
        return view;
    default:
        return of;
    }
}

TplValue tpl_method(Tpl *t, const TplMethod *m, const TplValue *args, uint32_t n)
{
    if (m->number < 0 || m->number >= TEMPLATE_METHOD_COUNT)
        tpl_fail(t, "the method %.*s() is not supported", (int)m->name->bytes, (const char *)m->name->at);
    const MethodInfo *info = &methods[m->number];
    TplValue all[TEMPLATE_METHOD_ARGUMENTS];
    if (n > TEMPLATE_METHOD_ARGUMENTS)
        tpl_fail(t, "%s() takes no %u arguments", info->name, n);
    for (uint32_t i = 0; i < TEMPLATE_METHOD_ARGUMENTS; ++i)
        all[i] = i < n ? args[i] : (TplValue){ .type = TPL_ABSENT };
    for (int i = 0; i < info->needed; ++i)
        if (all[i].type == TPL_ABSENT)
            tpl_fail(t, "%s() lacks an argument", info->name);
    switch (m->of.type) {
    case TPL_STRING:
        return string_method(t, m->number, m->of.text, all);
    case TPL_LIST:
    case TPL_TUPLE:
        return list_method(t, m->number, m->of, all);
    default:
        return dict_method(t, m->number, m->of, all);
    }
}
