// api.c: what template_render promises a program: which bytes came from the conversation, tokens, JSON, errors.
#include "../test.h"

#include "../../compiler/chat/chat.h"
#include "../../runtime/template.h"
#include "../../runtime/template_code.h"

static ChatTemplate *compile(Arena *a, const char *text)
{
    ChatGlobals globals = { 0 };
    const ChatGlobal bos = { "bos_token", "<s>" };
    vec_push(a, &globals, bos);
    const ChatSource source = { "test", NULL, "here", text, strlen(text) };
    return chat_compile(a, &source, &globals);
}

static Template opened(Arena *a, const char *text)
{
    const ChatTemplate *c = compile(a, text);
    Template t;
    ASSERT(template_open(&t, c->tables, c->bytes));
    return t;
}

// The text with the bytes of the conversation as '#'.
static void want_marks(const char *template, const char *want)
{
    static const ChatMessage messages[] = { { .role = "system", .content = " Ab<\n", .content_bytes = 5 }, { .role = "pirate", .content = "", .content_bytes = 0, .reasoning = "why" } };
    Arena *a = arena_new();
    const Template t = opened(a, template);
    const TemplateInput in = { .messages = messages, .count = 2, .variables_json = "{\"v\": {\"k\": [\"x\\u00e9\", 1]}}" };
    TemplateText out;
    RtError error;
    if (template_render(&t, &in, &out, &error) == RT_OK) {
        for (size_t i = 0; i < out.bytes; ++i)
            if (out.user[i])
                out.text[i] = '#';
        ASSERT_STR(want, out.text);
        template_free(&out);
    } else {
        ASSERT_STR(want, error.text);
    }
    arena_free(a);
}

static void test_marks(void)
{
    want_marks("{{ bos_token }}[{{ messages[0].content }}]", "<s>[#####]");
    want_marks("{% for m in messages %}<|{{ m.role }}|>{% endfor %}", "<|system|><|######|>");
    want_marks("{{ ('<' ~ messages[0].content + '>')|trim|upper }}", "<#####>");
    want_marks("{{ messages[0].content|replace('<', '[b]') }}{{ '[b]'|replace('b', messages[0].content) }}", "###[b]#[#####]");
    want_marks("{{ messages[0].content.split('b')|join('+') }}{{ messages[0].content[1:3] }}{{ messages[0].content[::-1] }}",
               "##+#########");
    want_marks("{{ messages[0].content|tojson }}{{ [messages[0].content] }}", "\"####\\n\"['####\\n']");
    want_marks("{{ v|tojson }}{{ v.k[0]|upper }}{{ v.k[1] }}", "{\"#\": [\"###\", 1]}###1");
    want_marks("{% set x %}<{{ messages[0].content }}>{% endset %}{{ x }}{{ x|length }}", "<#####>7");
    want_marks("{% macro m(x) %}({{ x }}){% endmacro %}{{ m(messages[0].content) }}{{ '<' * 2 }}", "(#####)<<");
    want_marks("{{ messages[1].reasoning_content }}{{ messages[1].thinking|capitalize }}{{ messages[1].content }}.", "######.");
    want_marks("{{ '{}<{}'.format(messages[0].content, 1) }}{{ messages[0].content|safe + '<' }}", "#####<1#####&lt;");
}

static void want_text(const char *template, const TemplateInput *in, const char *want)
{
    Arena *a = arena_new();
    const Template t = opened(a, template);
    TemplateText out;
    RtError error;
    if (template_render(&t, in, &out, &error) == RT_OK) {
        ASSERT_STR(want, out.text);
        template_free(&out);
    } else {
        ASSERT_STR(want, error.text);
    }
    arena_free(a);
}

static void test_inputs(void)
{
    const char *show = "{{ bos_token }}{{ eos_token is defined }}{{ tools is none }}{{ messages|length }}{{ add_generation_prompt }}";
    want_text(show, &(TemplateInput){ 0 }, "<s>FalseTrue0False");
    want_text(show, &(TemplateInput){ .bos = "<b>", .eos = "</b>", .add_generation_prompt = true }, "<b>TrueTrue0True");
    const TemplateInput json = { .messages_json = "[{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": \"a\\ud83d\\ude00\"}]}]",
                                 .variables_json = "{\"tools\": [{\"n\": -1.5e3}], \"big\": 9007199254740993}" };
    want_text("{{ messages[0].content[0].text }}{{ messages }}{{ tools }}{{ big }}", &json,
              "a\xf0\x9f\x98\x80[{'role': 'user', 'content': [{'type': 'text', 'text': 'a\xf0\x9f\x98\x80'}]}][{'n': -1500.0}]9007199254740993");
    // Calls of tools, and what they gave: as in JSON.
    const ChatMessage calls[] = { { .role = "assistant", .tool_calls = "[{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"f\", \"arguments\": {\"a\": 1.0}}}]" },
                                  { .role = "tool", .content = "<r>", .content_bytes = 3, .tool_call_id = "c1", .name = "f" } };
    const char *said = "{% for m in messages %}{{ m.role }} {{ m.content }} {{ m.tool_calls }} {{ m.tool_call_id }} {{ m.name }};{% endfor %}{{ tools|tojson }}";
    const char *want = "assistant None [{'id': 'c1', 'type': 'function', 'function': {'name': 'f', 'arguments': {'a': 1.0}}}]  ;tool <r>  c1 f;[{\"n\": 10000000000.0}]";
    want_text(said, &(TemplateInput){ .messages = calls, .count = 2, .tools_json = "[{\"n\": 1e10}]" }, want);
    Arena *a = arena_new();
    const Template knows = opened(a, "{% if tools %}{{ messages[0].tool_calls }}{% endif %}"), knows_not = opened(a, "{{ messages[0].content }}");
    ASSERT(template_knows(&knows, "tools") && template_knows(&knows, "tool_calls") && !template_knows(&knows, "tool"));
    ASSERT(!template_knows(&knows_not, "tools") && !template_knows(&(Template){ NULL, 0 }, "tools"));
    arena_free(a);
    // A stray byte is a character and stays what it is.
    const ChatMessage stray = { .role = "user", .content = "a\xff\xe4\xb8 b", .content_bytes = 6 };
    want_text("{{ messages[0].content|length }}{{ messages[0].content[1:3] }}|{{ messages[0].content|upper }}",
              &(TemplateInput){ .messages = &stray, .count = 1 }, "6\xff\xe4|A\xff\xe4\xb8 B");
    static const struct {
        const char *json, *want;
    } bad[] = {
        { "[", "the chat template: messages: not JSON at byte 1: no value" },
        { "[1,]", "the chat template: messages: not JSON at byte 3: no value" },
        { "[1] 2", "the chat template: messages: not JSON at byte 4: something stands behind it" },
        { "{\"a\" 1}", "the chat template: messages: not JSON at byte 5: a colon is wanted" },
        { "{1: 2}", "the chat template: messages: not JSON at byte 1: a key is wanted" },
        { "[\"\\ud800\"]", "the chat template: messages: not JSON at byte 8: half of a surrogate pair" },
        { "[\"a\nb\"]", "the chat template: messages: not JSON at byte 3: a control character in a string" },
        { "[01]", "the chat template: messages: not JSON at byte 1: a number begins with 0" },
        { "[1-2]", "the chat template: messages: not JSON at byte 4: a number that cannot be held" },
        { "[99999999999999999999]", "the chat template: messages: not JSON at byte 21: a number that cannot be held" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        want_text("", &(TemplateInput){ .messages_json = bad[i].json }, bad[i].want);
    want_text("", &(TemplateInput){ .variables_json = "[]" }, "the chat template: variables: a JSON object is wanted");
}

static void test_errors(void)
{
    Arena *a = arena_new();
    Template t = opened(a, "{{ raise_exception('no') }}"), none = { NULL, 0 };
    TemplateText out;
    RtError error;
    ASSERT(template_render(&t, &(TemplateInput){ 0 }, &out, &error) == RT_FAILED);
    ASSERT_INT(ERR_CHAT_REFUSED, error.id);
    t = opened(a, "\n{{ 1 + 'a' }}");
    ASSERT(template_render(&t, &(TemplateInput){ 0 }, &out, &error) == RT_FAILED);
    ASSERT_INT(ERR_CHAT_TEMPLATE, error.id);
    ASSERT_STR("the chat template fails at its line 2: int + string is not possible", error.text);
    ASSERT(template_render(&none, &(TemplateInput){ 0 }, &out, &error) == RT_FAILED);
    size_t bytes;
    const char *source = template_source(&t, &bytes);
    ASSERT(bytes == 4 && memcmp(source, "here", bytes) == 0);
    arena_free(a);
}

// Tables that are cut off do not open, wherever they end.
static void test_cut(void)
{
    Arena *a = arena_new();
    const ChatTemplate *c = compile(a, "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(1) }}{% for i in [1] if i %}{{ i }}{% endfor %}");
    Template t;
    for (size_t n = 0; n < c->bytes; ++n) {
        void *exact = malloc(n + !n);
        ASSERT(exact != NULL);
        memcpy(exact, c->tables, n);
        ASSERT(!template_open(&t, exact, n));
        free(exact);
    }
    PkgTemplate newer;
    memcpy(&newer, c->tables, sizeof newer);
    ++newer.version;
    ASSERT(!template_open(&t, &newer, c->bytes));
    ASSERT(!template_open(&t, NULL, 0));
    arena_free(a);
}

// A long conversation costs its length.
static void test_long(void)
{
    enum { MESSAGES = 2000, BYTES = 2000 };
    Arena *a = arena_new();
    const Template t = opened(a, "{% set ns = namespace(all='') %}{% for m in messages %}{% set ns.all = ns.all ~ m.role + ':' ~ m.content|trim ~ '\n' %}"
                                 "{% if m.content in 'x' %}!{% endif %}{% endfor %}{{ ns.all }}");
    ChatMessage *messages = arena_alloc(a, MESSAGES * sizeof *messages);
    char *text = arena_alloc(a, BYTES);
    memset(text, 'a', BYTES);
    for (int i = 0; i < MESSAGES; ++i)
        messages[i] = (ChatMessage){ .role = i % 2 ? "assistant" : "user", .content = text, .content_bytes = BYTES };
    TemplateText out;
    RtError error;
    const bool done = template_render(&t, &(TemplateInput){ .messages = messages, .count = MESSAGES }, &out, &error) == RT_OK;
    ASSERT(done);
    if (done) {
        ASSERT_INT(MESSAGES * BYTES + MESSAGES / 2 * (9 + 4) + MESSAGES * 2, out.bytes);
        ASSERT(out.user[out.bytes - 2] && !out.user[out.bytes - 1]);
        template_free(&out);
    } else {
        printf("%s\n", error.text);
    }
    arena_free(a);
}

int main(void)
{
    test_marks();
    test_inputs();
    test_errors();
    test_cut();
    test_long();
    return test_failed;
}
