// compile.c: a chat template's text into the tables of the section PKG_TEMPLATE.
#include "chat.h"
#include "emit.h"

typedef struct Tables {
    Arena *arena;
    Str bytes;
} Tables;

// Appends, at a multiple of 4; the offset.
static uint32_t add(Tables *t, const void *from, size_t bytes)
{
    while (t->bytes.bytes % 4)
        str_add_bytes(&t->bytes, "", 1);
    const uint32_t at = (uint32_t)t->bytes.bytes;
    if (bytes)
        str_add_bytes(&t->bytes, from, bytes);
    return at;
}

// Newlines as \n, and without the one at the end, as Jinja takes a template.
static void normalize(ChatText *c, const char *text, size_t bytes)
{
    Str s = str_new(c->arena);
    for (size_t i = 0; i < bytes; ++i) {
        const bool carriage = text[i] == '\r';
        str_add_bytes(&s, carriage ? "\n" : text + i, 1);
        i += carriage && i + 1 < bytes && text[i + 1] == '\n';
    }
    if (s.bytes && s.text[s.bytes - 1] == '\n')
        --s.bytes;
    c->text = str_copy(c->arena, s.bytes ? s.text : "", s.bytes);
    c->bytes = (uint32_t)s.bytes;
}

// Bytes of the well-formed UTF-8 character at `s`; 0: it is none, or a zero byte.
static uint32_t character_bytes(const unsigned char *s, size_t bytes)
{
    const uint32_t n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (!s[0] || (s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4 || n > bytes)
        return 0;
    for (uint32_t i = 1; i < n; ++i)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static void check_text(const ChatText *c)
{
    enum { MOST = 512 << 10 };
    if (c->bytes > MOST)
        chat_refuse(c, 0, 1, "the template has %u bytes: at most %d are taken", c->bytes, MOST);
    for (uint32_t i = 0, n; i < c->bytes; i += n) {
        n = character_bytes((const unsigned char *)c->text + i, c->bytes - i);
        if (!n)
            chat_refuse(c, i, 1, "the byte 0x%02x is no UTF-8", (unsigned char)c->text[i]);
    }
}

// Code offset and template offset of each instruction that begins another line -> code offset and line.
static void write_lines(const Emitter *e, Tables *t, const PkgFunction *functions, PkgTemplate *head)
{
    VEC(PkgLine) out = { 0 };
    VEC(uint32_t) starts = { 0 };
    vec_push(t->arena, &starts, 0);
    for (uint32_t i = 0; i < e->c->bytes; ++i)
        if (e->c->text[i] == '\n')
            vec_push(t->arena, &starts, i + 1);
    for (int f = 0; f < e->functions.n; ++f)
        for (int i = 0; i < e->functions.at[f].lines.n; ++i) {
            const PkgLine *from = &e->functions.at[f].lines.at[i];
            uint32_t low = 0, high = (uint32_t)starts.n;
            while (high - low > 1) {
                const uint32_t middle = (low + high) / 2;
                if (starts.at[middle] <= from->line)
                    low = middle;
                else
                    high = middle;
            }
            const PkgLine line = { functions[f].code + from->code, low + 1 };
            if (i && out.at[out.n - 1].line == line.line)
                continue;
            vec_push(t->arena, &out, line);
        }
    head->lines = (uint32_t)out.n;
    head->line_at = add(t, out.at, (size_t)out.n * sizeof *out.at);
}

static PkgFunction *write_functions(const Emitter *e, Tables *t, PkgTemplate *head)
{
    PkgFunction *out = arena_alloc(t->arena, (size_t)e->functions.n * sizeof *out);
    VEC(uint32_t) ints = { 0 };
    Str code = str_new(t->arena);
    for (int i = 0; i < e->functions.n; ++i) {
        const Function *f = &e->functions.at[i];
        out[i] = (PkgFunction){ .code = (uint32_t)code.bytes, .code_bytes = (uint32_t)f->code.bytes, .outer = (uint32_t)f->outer,
                                .slots = (uint32_t)f->slots.n, .parameters = f->parameters, .flags = f->flags,
                                .name = f->name, .first_int = (uint32_t)ints.n };
        for (int k = 0; k < f->slots.n; ++k)
            vec_push(t->arena, &ints, f->slots.at[k]);
        str_add_bytes(&code, f->code.text, f->code.bytes);
    }
    head->functions = (uint32_t)e->functions.n;
    head->function_at = add(t, out, (size_t)e->functions.n * sizeof *out);
    head->ints = (uint32_t)ints.n;
    head->int_at = add(t, ints.at, (size_t)ints.n * sizeof *ints.at);
    head->code_bytes = (uint32_t)code.bytes;
    head->code_at = add(t, code.text, code.bytes);
    return out;
}

static void write_strings(const Emitter *e, Tables *t, PkgTemplate *head)
{
    VEC(uint32_t) offsets = { 0 };
    Str text = str_new(t->arena);
    for (int i = 0; i < e->strings.n; ++i) {
        vec_push(t->arena, &offsets, (uint32_t)text.bytes);
        str_add_bytes(&text, e->strings.at[i].text, e->strings.at[i].bytes);
    }
    vec_push(t->arena, &offsets, (uint32_t)text.bytes);
    head->strings = (uint32_t)e->strings.n;
    head->string_at = add(t, offsets.at, (size_t)offsets.n * sizeof *offsets.at);
    head->text_bytes = (uint32_t)text.bytes;
    head->text_at = add(t, text.text, text.bytes);
}

static ChatTemplate *write_tables(Emitter *e, const char *source, const ChatGlobals *globals)
{
    Tables t = { e->c->arena, str_new(e->c->arena) };
    PkgTemplate head = { .version = TEMPLATE_VERSION };
    VEC(uint32_t) numbers = { 0 };
    for (int i = 0; i < globals->n; ++i) {
        vec_push(t.arena, &numbers, emit_string_number(e, globals->at[i].name, (uint32_t)strlen(globals->at[i].name)));
        vec_push(t.arena, &numbers, emit_string_number(e, globals->at[i].text, (uint32_t)strlen(globals->at[i].text)));
    }
    add(&t, &head, sizeof head);
    const PkgFunction *functions = write_functions(e, &t, &head);
    write_lines(e, &t, functions, &head);
    write_strings(e, &t, &head);
    head.globals = (uint32_t)globals->n;
    head.global_at = add(&t, numbers.at, (size_t)numbers.n * sizeof *numbers.at);
    head.source_bytes = (uint32_t)strlen(source);
    head.source_at = add(&t, source, strlen(source));
    void *tables = arena_alloc(t.arena, t.bytes.bytes);
    memcpy(tables, t.bytes.text, t.bytes.bytes);
    memcpy(tables, &head, sizeof head);
    ChatTemplate *out = arena_alloc(t.arena, sizeof *out);
    *out = (ChatTemplate){ tables, t.bytes.bytes, source };
    return out;
}

ChatTemplate *chat_compile(Arena *a, const ChatSource *source, const ChatGlobals *globals)
{
    ChatText c = { .arena = a, .name = source->name, .part = source->part };
    normalize(&c, source->text, source->bytes);
    check_text(&c);
    const Nodes statements = chat_parse(&c);
    Emitter e = { .c = &c };
    emit_function(&e, NULL);
    Scope *s = scope_new(a, NULL, 0);
    scope_add_statements(&c, s, &statements);
    emit_enter(&e, NULL, s);
    e.scope = s;
    emit_statements(&e, &statements);
    emit_op(&e, NULL, TOP_END);
    return write_tables(&e, source->from, globals);
}
