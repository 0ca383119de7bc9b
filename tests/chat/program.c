// program.c: the text that a program's own chat template gives two turns and a prompt: program PROGRAM.
#include "../test.h"

#include "../../runtime/package_open.h"
#include "../../runtime/template.h"

int main(int argc, char **argv)
{
    static const ChatMessage messages[] = { { .role = "user", .content = "Hi", .content_bytes = 2 }, { .role = "assistant", .content = "Ho", .content_bytes = 2 } };
    const TemplateInput in = { .messages = messages, .count = 2, .add_generation_prompt = true };
    Package package;
    Template template;
    TemplateText text;
    RtError error;
    if (argc != 2)
        return 2;
    if (package_open(&package, argv[1], argv[1], &error) != RT_OK) {
        printf("%s\n", error.text);
        return 1;
    }
    template_open(&template, package.chat_template.at, package.chat_template.bytes);
    if (template_render(&template, &in, &text, &error) == RT_OK) {
        fputs(text.text, stdout);
        template_free(&text);
    } else {
        printf("%s\n", error.text);
    }
    package_close(&package);
    return 0;
}
