// fuzz.c: changed templates and changed bytecode: no crash, no step over a bound: fuzz SECONDS SEED TEMPLATE..
//
// Each round takes one of the templates, changes it (bytes, lines, pieces of another one, words of the language), compiles
// it, renders it for some conversations; then changes the bytecode and renders that. A refusal is fine everywhere.
#include "../test.h"

#include "../../compiler/base/file.h"
#include "../../compiler/chat/chat.h"
#include "../../runtime/hash.h"
#include "../../runtime/template.h"
#include "../../runtime/template_code.h"

#include <setjmp.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 200000 };

typedef struct Random {
    uint64_t state;
} Random;

static uint32_t below(Random *r, size_t n)
{
    r->state = hash_mix(r->state + 0x9e3779b97f4a7c15ull);
    return n ? (uint32_t)(r->state % n) : 0;
}

// ---- refusals come back here instead of ending the process (linked with --wrap=error_at) ------------------------------

static jmp_buf refused;
static int internal_errors;

_Noreturn void __wrap_error_at(Loc at, ErrorId id, const char *fmt, ...);
_Noreturn void __wrap_error_at(Loc at, ErrorId id, const char *fmt, ...)
{
    if (id == ERR_INTERNAL) {
        printf("internal error: %s\n", fmt);
        ++internal_errors;
    }
    (void)at;
    longjmp(refused, 1);
}

// ---- one case -----------------------------------------------------------------------------------------------------

static const char *const conversations[] = {
    "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi \\u00e9 <b>\"}], \"add_generation_prompt\": true, \"bos_token\": \"<s>\"}",
    "{\"messages\": [{\"role\": \"system\", \"content\": \"S\"}, {\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": \"x\"}]},"
    " {\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"call00001\", \"function\": {\"name\": \"f\", \"arguments\":"
    " {\"a\": [1, 2.5, true]}}}]}, {\"role\": \"tool\", \"content\": \"r\", \"tool_call_id\": \"call00001\"}], \"tools\": [{\"type\":"
    " \"function\", \"function\": {\"name\": \"f\", \"description\": \"d\", \"parameters\": {\"type\": \"object\", \"properties\": {\"a\":"
    " {\"type\": \"array\", \"items\": {\"type\": \"number\"}}}, \"required\": [\"a\"]}}}], \"eos_token\": \"</s>\"}",
    "{\"messages\": [], \"x\": [1, \"a\", null, {\"k\": [[]]}], \"s\": \"abc abc\", \"n\": -3}",
};

static int rendered, raised;

static void render(const void *tables, size_t bytes)
{
    Template t;
    TemplateText text;
    RtError error;
    if (!template_open(&t, tables, bytes))
        return;
    for (size_t i = 0; i < sizeof conversations / sizeof *conversations; ++i) {
        const TemplateInput in = { .variables_json = conversations[i], .steps = STEPS };
        if (template_render(&t, &in, &text, &error) == RT_OK) {
            ++rendered;
            template_free(&text);
        } else {
            ++raised;
        }
    }
}

// The tables in memory of their own size, so that a step over their end is seen.
static void render_changed(const ChatTemplate *c, Random *r)
{
    const size_t cut = below(r, 8) ? 0 : below(r, c->bytes);
    uint8_t *tables = malloc(c->bytes - cut + 1);
    if (!tables)
        exit(1);
    memcpy(tables, c->tables, c->bytes - cut);
    const PkgTemplate *head = c->tables;
    const size_t code_at = head->code_at, code = head->code_bytes;
    for (uint32_t n = 1 + below(r, 6); n; --n) {
        const uint32_t where = below(r, 4);
        const size_t at = where == 0 ? below(r, c->bytes) : where == 1 ? below(r, sizeof *head + 128) : code_at + below(r, code);
        if (at >= c->bytes - cut)
            continue;
        const uint32_t how = below(r, 3);
        tables[at] = how == 0 ? tables[at] ^ (uint8_t)(1u << below(r, 8)) : how == 1 ? (uint8_t)below(r, TEMPLATE_OP_COUNT) : (uint8_t)below(r, 256);
    }
    render(tables, c->bytes - cut);
    free(tables);
}

static int compiled;

static void one(const char *text, size_t bytes, Random *r)
{
    Arena *a = arena_new();
    const ChatGlobals none = { 0 };
    const ChatSource source = { "fuzz", "template", "fuzz", text, bytes };
    if (setjmp(refused) == 0) {
        const ChatTemplate *c = chat_compile(a, &source, &none);
        ++compiled;
        render(c->tables, c->bytes);
        for (int i = 0; i < 4; ++i)
            render_changed(c, r);
    }
    arena_free(a);
}

// ---- changes of a template ----------------------------------------------------------------------------------------

static const char *const words[] = {
    "{%", "%}", "{{", "}}", "{#", "#}", "-%}", "{%-", "(", ")", "[", "]", "{", "}", ",", ":", "|", ".", "~", "'", "\"", "\\", "\n",
    " is ", " not ", " in ", " and ", " if ", " else ", " ~ ", " ** ", " // ", " % ", " == ", " < ", "x", "s", "n", "loop", "messages",
    "{% for x in x %}", "{% endfor %}", "{% if x %}", "{% endif %}", "{% else %}", "{% set x = x %}", "{% set ns.x = x %}",
    "{% set ns = namespace(x=x) %}", "{% macro m(x, y=1) %}", "{% endmacro %}", "{{ m(x, y=x) }}", "{% break %}", "{% continue %}",
    "{% set x %}", "{% endset %}", "{% filter upper %}", "{% endfilter %}", "{% call m(1) %}", "{% endcall %}", "{{ caller() }}",
    "{% generation %}", "{% endgeneration %}", "{% raw %}", "{% endraw %}", "|tojson", "|join(s)", "|length", "|list", "|sort",
    "|map('upper')", "|map(attribute='k')", "|selectattr('k', 'eq', 1)", "|select('string')", "|unique", "|dictsort", "|items",
    "|replace('a', s)", "|trim", "|indent(2)", "|default(x)", "|safe", "|int", "|float", "|first", "|last", "|string", "|reverse",
    "|tojson(indent=2)", "|title", "|sum", "|min", ".split(s)", ".strip()", ".replace('', s)", ".items()", ".get('k')", ".format(x)",
    ".startswith(s)", ".find(s)", ".rsplit(s, 1)", ".splitlines()", "[::-1]", "[1:n]", "[-1]", "['k']", "range(n)", "range(9, n, -2)",
    "loop.last", "loop.nextitem", "loop.length", "loop.cycle(1, 2)", "dict(a=x)", "9223372036854775807", "1e308", "-1", "0", "'\\x00'",
    "varargs", "kwargs", "{'k': x, 1: 2}", "[x, x]", "(x,)", "raise_exception(s)", "strftime_now('%d%B')",
};

static void add_changed(Str *out, const Bytes *texts, int n, Random *r)
{
    const Bytes from = texts[below(r, (size_t)n)];
    size_t at = 0;
    for (uint32_t changes = 1 + below(r, 5); changes; --changes) {
        size_t to = at + below(r, from.bytes - at + 1);
        str_add_bytes(out, from.at + at, to - at);
        at = to;
        const Bytes other = texts[below(r, (size_t)n)];
        const size_t piece = below(r, other.bytes), piece_bytes = below(r, other.bytes - piece < 200 ? other.bytes - piece : 200);
        switch (below(r, 5)) {
        case 0:
            str_add(out, "%s", words[below(r, sizeof words / sizeof *words)]);
            break;
        case 1:
            at += below(r, from.bytes - at < 60 ? from.bytes - at + 1 : 60);
            break;
        case 2:
            str_add_bytes(out, other.at + piece, piece_bytes);
            break;
        case 3:
            at -= at > 40 ? below(r, 40) : 0;
            break;
        default:
            if (at < from.bytes)
                str_add(out, "%c", from.at[at++] ^ (1 << below(r, 7)));
        }
    }
    str_add_bytes(out, from.at + at, from.bytes - at);
}

// A template of the language's words alone.
static void add_words(Str *out, Random *r)
{
    for (uint32_t n = 1 + below(r, 25); n; --n) {
        const bool print = below(r, 3) == 0;
        str_add(out, "%s%s%s", print ? "{{ x" : "", words[below(r, sizeof words / sizeof *words)], print ? " }}" : "");
    }
}

// A crash leaves the text it came from.
static void keep(FILE *now, const Str *text)
{
    if (!now || fseek(now, 0, SEEK_SET) != 0)
        exit(1);
    fwrite(text->text ? text->text : "", 1, text->bytes, now);
    fflush(now);
    if (ftruncate(fileno(now), (off_t)text->bytes) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    Arena *a = arena_new();
    const int n = argc - 3;
    Bytes *texts = arena_alloc(a, (size_t)n * sizeof *texts);
    for (int i = 0; i < n; ++i)
        texts[i] = file_read(a, argv[3 + i]);
    Random r = { strtoull(argv[2], NULL, 10) };
    FILE *now = fopen("fuzz.now", "wb");
    const time_t end = time(NULL) + atoi(argv[1]);
    long rounds = 0;
    while (time(NULL) < end || rounds < 200) {
        Arena *work = arena_new();
        Str text = str_new(work);
        const Bytes whole = texts[below(&r, (size_t)n)];
        const uint32_t kind = below(&r, 8);
        if (kind == 0)
            str_add_bytes(&text, whole.at, whole.bytes);
        else if (kind < 6)
            add_changed(&text, texts, n, &r);
        else
            add_words(&text, &r);
        keep(now, &text);
        one(text.text, text.bytes, &r);
        arena_free(work);
        ++rounds;
    }
    fclose(now);
    remove("fuzz.now");
    printf("%ld templates, %d compiled, %d texts, %d raised\n", rounds, compiled, rendered, raised);
    ASSERT(compiled > rounds / 50 && rendered > 0 && raised > 0);
    ASSERT_INT(0, internal_errors);
    arena_free(a);
    return test_failed;
}
