// emit_call.c: calls, filters and tests of a chat template: their names and arguments are known here, or refused.
#include "emit.h"

typedef struct FilterInfo {
    const char *name, *parameters;
    int needed;
} FilterInfo;

static const FilterInfo filters[] = {
#define FILTER_INFO(id, name, parameters, needed) { name, parameters, needed },
    TEMPLATE_FILTERS(FILTER_INFO)
#undef FILTER_INFO
};

typedef struct TestInfo {
    const char *name;
    int arguments;
} TestInfo;

static const TestInfo tests[] = {
#define TEST_INFO(id, name, arguments) { name, arguments },
    TEMPLATE_TESTS(TEST_INFO)
#undef TEST_INFO
};

static const char *const methods[] = {
#define METHOD_NAME(id, name, types, parameters, needed, positional) name,
    TEMPLATE_METHODS(METHOD_NAME)
#undef METHOD_NAME
    // These compile, and fail when they are called: the sandbox forbids to change a list or a dict.
    "append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "sort", "update",
};

// Other names of the same.
static const char *const aliases[][2] = { { "count", "length" }, { "d", "default" }, { "e", "escape" } };
static const char *const test_aliases[][2] = {
    { "==", "eq" }, { "equalto", "eq" },      { "!=", "ne" }, { "<", "lt" },          { "lessthan", "lt" },
    { "<=", "le" }, { ">", "gt" }, { "greaterthan", "gt" }, { ">=", "ge" },
};

static int filter_named(const char *name)
{
    for (int i = 0; i < ARRAY_LEN(aliases); ++i)
        if (str_equal(name, aliases[i][0]))
            name = aliases[i][1];
    for (int i = 0; i < ARRAY_LEN(filters); ++i)
        if (str_equal(name, filters[i].name))
            return i;
    return -1;
}

static int want_filter(Emitter *e, const Node *at, const char *name)
{
    const int filter = filter_named(name);
    if (filter < 0)
        chat_refuse(e->c, at->at, at->bytes, "the filter \"%.40s\" is not supported", name);
    return filter;
}

static int want_test(Emitter *e, const Node *at, const char *name)
{
    for (int i = 0; i < ARRAY_LEN(test_aliases); ++i)
        if (str_equal(name, test_aliases[i][0]))
            name = test_aliases[i][1];
    for (int i = 0; i < ARRAY_LEN(tests); ++i)
        if (str_equal(name, tests[i].name))
            return i;
    chat_refuse(e->c, at->at, at->bytes, "the test \"%.40s\" is not supported", name);
}

// ---- filters ------------------------------------------------------------------------------------------------------

static bool word_at(const char *words, int index, const char **word, int *bytes)
{
    for (int i = 0; *words; ++i) {
        const int n = (int)strcspn(words, " ");
        if (i == index) {
            *word = words;
            *bytes = n;
            return true;
        }
        words += n + (words[n] == ' ');
    }
    return false;
}

static const Node *named(const Nodes *list, const char *word, int bytes)
{
    for (int i = 0; i < list->n; ++i)
        if ((int)list->at[i]->text_bytes == bytes && memcmp(list->at[i]->text, word, (size_t)bytes) == 0)
            return list->at[i]->a;
    return NULL;
}

static void refuse_argument(Emitter *e, const Node *n)
{
    chat_refuse(e->c, n->at, n->bytes, "\"%.40s\" takes no such argument", n->text);
}

// Arguments in the order of the filter's parameters, from list->at[first] on; how many were written.
static int emit_bound(Emitter *e, const Node *n, int filter, int first)
{
    const char *word;
    int bytes, count = 0, used = 0;
    for (; word_at(filters[filter].parameters, count, &word, &bytes); ++count) {
        const bool by_place = first + count < n->list.n;
        const Node *value = by_place ? n->list.at[first + count] : named(&n->named, word, bytes);
        if (by_place && named(&n->named, word, bytes))
            refuse_argument(e, n);
        if (value)
            emit_expression(e, value);
        else if (count < filters[filter].needed)
            chat_refuse(e->c, n->at, n->bytes, "the filter \"%s\" lacks its argument %.*s", filters[filter].name, bytes, word);
        else
            emit_op(e, n, TOP_ABSENT);
        used += value && !by_place;
    }
    if (first + count < n->list.n || used < n->named.n)
        refuse_argument(e, n);
    return count;
}

static const Node *want_string(Emitter *e, const Node *n, int index, const char *what)
{
    if (index >= n->list.n || n->list.at[index]->kind != NODE_STRING)
        chat_refuse(e->c, n->at, n->bytes, "%s must be a string that stands there", what);
    return n->list.at[index];
}

static void emit_int(Emitter *e, const Node *at, int64_t n)
{
    emit_with(e, at, TOP_INT, n < 0 ? 1 : (uint64_t)n << 1); // -1 or not negative
}

// map('filter', arguments) or map(attribute=..., default=...)
static int emit_map(Emitter *e, const Node *n, int *filter)
{
    if (!n->list.n && !n->named.n)
        chat_refuse(e->c, n->at, n->bytes, "map needs the name of a filter, or attribute=");
    if (!n->list.n) {
        *filter = TFILTER_MAP_ATTRIBUTE;
        return emit_bound(e, n, *filter, 0);
    }
    const Node *name = want_string(e, n, 0, "the filter that map takes");
    const int inner = want_filter(e, name, name->text);
    if (inner == TFILTER_MAP || inner == TFILTER_SELECT || inner == TFILTER_REJECT || inner == TFILTER_SELECTATTR ||
        inner == TFILTER_REJECTATTR)
        chat_refuse(e->c, name->at, name->bytes, "map('%s') is not supported", filters[inner].name);
    emit_int(e, n, inner);
    return 1 + emit_bound(e, n, inner, 1);
}

// select('test', argument), selectattr('attribute', 'test', argument)
static int emit_select(Emitter *e, const Node *n, bool by_attribute)
{
    int at = 0;
    if (n->named.n)
        refuse_argument(e, n);
    if (by_attribute && !n->list.n)
        chat_refuse(e->c, n->at, n->bytes, "the filter \"%s\" lacks an attribute", n->text);
    if (by_attribute)
        emit_expression(e, n->list.at[at++]);
    if (at == n->list.n) {
        emit_int(e, n, -1);
        return at + 1;
    }
    const Node *name = want_string(e, n, at, "the test that a filter takes");
    const int test = want_test(e, name, name->text);
    emit_int(e, n, test);
    if (n->list.n - at - 1 != tests[test].arguments)
        chat_refuse(e->c, name->at, name->bytes, "the test \"%s\" takes %d arguments", name->text, tests[test].arguments);
    while (++at < n->list.n)
        emit_expression(e, n->list.at[at]);
    return n->list.n;
}

void emit_filter(Emitter *e, const Node *n, bool has_value)
{
    int filter = want_filter(e, n, n->text), count;
    emit_deeper(e, n);
    if (n->a && n->a->kind == NODE_FILTER)
        emit_filter(e, n->a, has_value);
    else if (n->a)
        emit_expression(e, n->a);
    else if (!has_value)
        error_at(NOWHERE, ERR_INTERNAL, "chat template: a filter of nothing");
    switch (filter) {
    case TFILTER_MAP:
        count = emit_map(e, n, &filter);
        break;
    case TFILTER_SELECT:
    case TFILTER_REJECT:
        count = emit_select(e, n, false);
        break;
    case TFILTER_SELECTATTR:
    case TFILTER_REJECTATTR:
        count = emit_select(e, n, true);
        break;
    default:
        count = emit_bound(e, n, filter, 0);
    }
    emit_with(e, n, TOP_FILTER, (uint64_t)filter);
    emit_number(e, (uint64_t)count);
    --e->depth;
}

void emit_test(Emitter *e, const Node *n)
{
    const int test = want_test(e, n, n->text);
    if (n->named.n)
        refuse_argument(e, n);
    if (n->list.n != tests[test].arguments)
        chat_refuse(e->c, n->at, n->bytes, "the test \"%s\" takes %d arguments", n->text, tests[test].arguments);
    emit_expression(e, n->a);
    for (int i = 0; i < n->list.n; ++i)
        emit_expression(e, n->list.at[i]);
    emit_with(e, n, TOP_TEST, (uint64_t)test);
    emit_number(e, (uint64_t)n->list.n);
}

// ---- calls --------------------------------------------------------------------------------------------------------

static void check_callee(Emitter *e, const Node *callee)
{
    static const char *const absent[] = { "cycler", "joiner", "lipsum" };
    if (callee->kind == NODE_ATTRIBUTE) {
        for (int i = 0; i < ARRAY_LEN(methods); ++i)
            if (str_equal(callee->text, methods[i]))
                return;
        chat_refuse(e->c, callee->at, callee->bytes, "the method %.40s() is not supported", callee->text);
    }
    if (callee->kind != NODE_NAME)
        return;
    const Scope *s = scope_of(e->scope, callee->text);
    if (str_equal(callee->text, "loop") && s && s->parent)
        chat_refuse(e->c, callee->at, callee->bytes, "a recursive loop is not supported");
    for (int i = 0; i < ARRAY_LEN(absent); ++i)
        if (str_equal(callee->text, absent[i]))
            chat_refuse(e->c, callee->at, callee->bytes, "the function %s() is not supported", callee->text);
}

static void check_names(Emitter *e, const Node *n)
{
    const bool namespace = n->a->kind == NODE_NAME && str_equal(n->a->text, "namespace");
    for (int i = 0; i < n->named.n; ++i) {
        const Node *k = n->named.at[i];
        if (namespace && *k->text == '_')
            chat_refuse(e->c, k->at, k->bytes, "an attribute whose name begins with _ is not set in a namespace");
        for (int other = 0; other < i; ++other)
            if (str_equal(n->named.at[other]->text, k->text))
                chat_refuse(e->c, k->at, k->bytes, "the argument %s is given twice", k->text);
    }
}

void emit_call(Emitter *e, const Node *n, bool with_caller)
{
    check_callee(e, n->a);
    check_names(e, n);
    emit_expression(e, n->a);
    for (int i = 0; i < n->list.n; ++i)
        emit_expression(e, n->list.at[i]);
    for (int i = 0; i < n->named.n; ++i) {
        emit_text(e, n, TOP_STRING, n->named.at[i]->text, n->named.at[i]->text_bytes);
        emit_expression(e, n->named.at[i]->a);
    }
    if (with_caller) {
        emit_text(e, n, TOP_STRING, "caller", 6);
        emit_with(e, n, TOP_LOAD_RAW, (uint64_t)n->whole);
    }
    emit_with(e, n, TOP_CALL, (uint64_t)n->list.n);
    emit_number(e, (uint64_t)n->named.n + with_caller);
}
