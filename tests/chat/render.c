// render.c: one template, many conversations: render TEMPLATE [NOW] < CASES. Each case is a line with a JSON object of
// variables. For each it prints "text BYTES" and the text, or "raised MESSAGE". NOW: seconds since 1970.
#include "../test.h"

#include "../../compiler/base/file.h"
#include "../../compiler/chat/chat.h"
#include "../../runtime/template.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    Arena *a = arena_new();
    const Bytes source = file_read(a, argv[1]), cases = file_read(a, "-");
    const ChatGlobals none = { 0 };
    const ChatSource from = { argv[1], NULL, "", (const char *)source.at, source.bytes };
    const ChatTemplate *compiled = chat_compile(a, &from, &none);
    Template t;
    if (!template_open(&t, compiled->tables, compiled->bytes)) {
        printf("the tables do not open\n");
        return 1;
    }
    for (const char *at = (const char *)cases.at, *end; *at; at = end + (*end == '\n')) {
        end = strchr(at, '\n');
        end = end ? end : at + strlen(at);
        const TemplateInput in = { .variables_json = str_copy(a, at, (size_t)(end - at)),
                                   .now = argc > 2 ? (time_t)atoll(argv[2]) : 0 };
        TemplateText text;
        RtError error;
        if (template_render(&t, &in, &text, &error) == RT_OK) {
            printf("text %zu\n", text.bytes);
            fwrite(text.text, 1, text.bytes, stdout);
            printf("\n");
            template_free(&text);
        } else {
            for (char *s = error.text; *s; ++s)
                if (*s == '\n')
                    *s = ' ';
            printf("raised %s\n", error.text);
        }
    }
    arena_free(a);
    return test_failed;
}
