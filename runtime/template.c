// template.c: opens the tables of a chat template, gives it the conversation, takes the text.
#include "template_vm.h"

#include <stdlib.h>
#include <string.h>

static bool inside(uint32_t at, uint64_t bytes, size_t all)
{
    return at <= all && bytes <= all - at;
}

static bool check_strings(const PkgTemplate *h)
{
    const uint32_t *at = (const uint32_t *)((const uint8_t *)h + h->string_at);
    for (uint32_t i = 0; i < h->strings; ++i)
        if (at[i] > at[i + 1])
            return false;
    return at[h->strings] <= h->text_bytes;
}

static bool check_functions(const PkgTemplate *h)
{
    const PkgFunction *f = (const PkgFunction *)((const uint8_t *)h + h->function_at);
    for (uint32_t i = 0; i < h->functions; ++i)
        if (!inside(f[i].code, f[i].code_bytes, h->code_bytes) || !inside(f[i].first_int, f[i].slots, h->ints) ||
            f[i].parameters > f[i].slots || f[i].name > h->strings || f[i].outer >= h->functions)
            return false;
    return h->functions > 0;
}

static bool check_globals(const PkgTemplate *h)
{
    const uint32_t *at = (const uint32_t *)((const uint8_t *)h + h->global_at);
    for (uint32_t i = 0; i < 2 * h->globals; ++i)
        if (at[i] >= h->strings)
            return false;
    return true;
}

bool template_open(Template *t, const void *section, size_t bytes)
{
    const PkgTemplate *h = section;
    *t = (Template){ NULL, 0 };
    if (!section || bytes < sizeof *h || (uintptr_t)section % 4 || h->version != TEMPLATE_VERSION)
        return false;
    const struct {
        uint32_t at, align;
        uint64_t bytes;
    } tables[] = {
        { h->string_at, 4, 4 * ((uint64_t)h->strings + 1) },
        { h->text_at, 1, h->text_bytes },
        { h->function_at, 4, (uint64_t)h->functions * sizeof(PkgFunction) },
        { h->int_at, 4, 4 * (uint64_t)h->ints },
        { h->code_at, 1, h->code_bytes },
        { h->line_at, 4, (uint64_t)h->lines * sizeof(PkgLine) },
        { h->global_at, 4, 8 * (uint64_t)h->globals },
        { h->source_at, 1, h->source_bytes },
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        if (tables[i].at % tables[i].align || !inside(tables[i].at, tables[i].bytes, bytes))
            return false;
    if (!check_strings(h) || !check_functions(h) || !check_globals(h))
        return false;
    *t = (Template){ h, bytes };
    return true;
}

const char *template_source(const Template *t, size_t *bytes)
{
    *bytes = t->head ? t->head->source_bytes : 0;
    return t->head ? (const char *)t->head + t->head->source_at : "";
}

bool template_knows(const Template *t, const char *name)
{
    const PkgTemplate *h = t->head;
    const size_t bytes = strlen(name);
    if (!h)
        return false;
    const uint32_t *at = (const uint32_t *)((const uint8_t *)h + h->string_at);
    const uint8_t *text = (const uint8_t *)h + h->text_at;
    for (uint32_t i = 0; i < h->strings; ++i)
        if (at[i + 1] - at[i] == bytes && memcmp(text + at[i], name, bytes) == 0)
            return true;
    return false;
}

// ---- variables ----------------------------------------------------------------------------------------------------

static void set(Tpl *t, TplDict *d, const char *name, TplValue value)
{
    tpl_dict_set(t, d, tpl_string(t, name), value);
}

// Text of the conversation: its bytes are marked.
static TplValue said(Tpl *t, const char *text, size_t bytes)
{
    if (bytes > t->ones_bytes) {
        uint8_t *ones = tpl_alloc(t, bytes * 2);
        memset(ones, 1, bytes * 2);
        t->ones = ones;
        t->ones_bytes = bytes * 2;
    }
    return tpl_string_bytes(t, text, bytes, t->ones);
}

// Templates build special tokens from the names of the roles they know, so these are not marked.
static TplValue role_value(Tpl *t, const char *role, size_t bytes)
{
    static const char *const known[] = { "system", "user", "assistant", "tool", "developer", "function", "model", "ipython" };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (strlen(known[i]) == bytes && memcmp(known[i], role, bytes) == 0)
            return tpl_string(t, known[i]);
    return said(t, role, bytes);
}

static TplValue plain_messages(Tpl *t, const TemplateInput *in)
{
    const TplValue list = tpl_list(t, (uint32_t)in->count, TPL_LIST);
    for (int i = 0; i < in->count; ++i) {
        const ChatMessage *m = &in->messages[i];
        TplDict *d = tpl_dict_new(t, 4);
        set(t, d, "role", role_value(t, m->role, strlen(m->role)));
        set(t, d, "content", m->tool_calls && !m->content ? tpl_none() : said(t, m->content ? m->content : "", m->content ? m->content_bytes : 0));
        if (m->tool_calls)
            set(t, d, "tool_calls", tpl_read_json(t, m->tool_calls, "tool_calls"));
        if (m->tool_call_id)
            set(t, d, "tool_call_id", said(t, m->tool_call_id, strlen(m->tool_call_id)));
        if (m->name)
            set(t, d, "name", said(t, m->name, strlen(m->name)));
        if (m->reasoning) {
            set(t, d, "reasoning_content", said(t, m->reasoning, strlen(m->reasoning)));
            set(t, d, "thinking", said(t, m->reasoning, strlen(m->reasoning)));
        }
        list.list->at[i] = (TplValue){ .type = TPL_DICT, .dict = d };
    }
    return list;
}

static TplValue json_messages(Tpl *t, const char *json)
{
    const TplValue list = tpl_read_json(t, json, "messages");
    for (uint32_t i = 0; list.type == TPL_LIST && i < list.list->n; ++i) {
        const TplValue m = list.list->at[i];
        TplValue *role = m.type == TPL_DICT ? tpl_dict_find_text(t, m.dict, "role") : NULL;
        if (role && role->type == TPL_STRING)
            *role = role_value(t, (const char *)role->text->at, role->text->bytes);
    }
    return list;
}

static void set_variables(Tpl *t, const TemplateInput *in)
{
    const uint32_t *globals = (const uint32_t *)((const uint8_t *)t->head + t->head->global_at);
    TplDict *d = t->variables = tpl_dict_new(t, 16);
    for (uint32_t i = 0; i < t->head->globals; ++i)
        tpl_dict_set(t, d, (TplValue){ .type = TPL_STRING, .text = tpl_const(t, globals[2 * i]) },
                     (TplValue){ .type = TPL_STRING, .text = tpl_const(t, globals[2 * i + 1]) });
    if (in->bos)
        set(t, d, "bos_token", tpl_string(t, in->bos));
    if (in->eos)
        set(t, d, "eos_token", tpl_string(t, in->eos));
    set(t, d, "tools", in->tools_json ? tpl_read_json(t, in->tools_json, "tools") : tpl_none());
    set(t, d, "documents", tpl_none());
    set(t, d, "messages", in->messages_json ? json_messages(t, in->messages_json) : plain_messages(t, in));
    set(t, d, "add_generation_prompt", tpl_bool(in->add_generation_prompt));
    if (!in->variables_json)
        return;
    const TplValue more = tpl_read_json(t, in->variables_json, "variables");
    if (more.type != TPL_DICT)
        tpl_fail(t, "variables: a JSON object is wanted");
    for (uint32_t i = 0; i < more.dict->n; ++i)
        tpl_dict_set(t, d, more.dict->at[i].key, more.dict->at[i].value);
}

// ---- rendering ----------------------------------------------------------------------------------------------------

static RtStatus copy_out(const TplBuffer *b, TemplateText *out, RtError *error)
{
    out->text = malloc(b->bytes + 1);
    out->user = calloc(b->bytes + 1, 1);
    if (!out->text || !out->user) {
        template_free(out);
        return rt_fail(error, ERR_MEMORY, "no memory left for the chat template");
    }
    if (b->bytes)
        memcpy(out->text, b->at, b->bytes);
    if (b->marks)
        memcpy(out->user, b->marks, b->bytes);
    out->text[b->bytes] = 0;
    out->bytes = b->bytes;
    return RT_OK;
}

RtStatus template_render(const Template *template, const TemplateInput *in, TemplateText *out, RtError *error)
{
    const PkgTemplate *h = template->head;
    struct tm now = { 0 };
    *out = (TemplateText){ NULL, 0, NULL };
    if (!h)
        return rt_fail(error, ERR_CHAT_TEMPLATE, "the program has no chat template");
    localtime_r(&in->now, &now);
    Tpl t = { .head = h, .code = (const uint8_t *)h + h->code_at, .steps = in->steps ? in->steps : TPL_STEPS, .now = &now, .error = error,
              .functions = (const PkgFunction *)((const uint8_t *)h + h->function_at) };
    volatile RtStatus status = RT_FAILED;
    if (setjmp(t.failed) == 0) {
        t.strings = tpl_alloc(&t, ((size_t)h->strings + 1) * sizeof *t.strings);
        set_variables(&t, in);
        t.out = tpl_buffer(&t, 4096);
        tpl_run(&t, tpl_frame(&t, 0, NULL));
        status = copy_out(t.out, out, error);
    }
    tpl_free_all(&t);
    return status;
}

void template_free(TemplateText *text)
{
    free(text->text);
    free(text->user);
    *text = (TemplateText){ NULL, 0, NULL };
}
