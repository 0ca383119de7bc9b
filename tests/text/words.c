// words.c: where each rule splits a text: words FOLDER-OF-GPT2 -LLAMA3 -SMOLLM.
#include "view.h"

#include "../../runtime/words.h"

typedef struct Case {
    const char *text, *gpt2, *llama3, *smollm; // NULL: as gpt2
} Case;

static const Case cases[] = {
    { "Hello world", "Hello| world", NULL, NULL },
    { "it's IT'S we'LL", "it|'s| IT|'|S| we|'|LL", "it|'s| IT|'S| we|'LL", NULL },
    { "!'s x'rex", "!'|s| x|'re|x", "!'|s| x|'re|x", NULL },
    { "'\xc5\xbfx", "'|\xc5\xbfx", "'\xc5\xbf|x", NULL }, // U+017F folds to s
    { "a1234567 12", "a|1234567| 12", "a|123|456|7| |12", "a|1|2|3|4|5|6|7| |1|2" },
    { "a  5", "a| | 5", "a| | |5", "a|  |5" },
    { "x   y", "x|  | y", NULL, NULL },
    { "x \t y\t", "x| \t| y|\t", NULL, NULL },
    { "x\ty", "x|\t|y", "x|\ty", NULL },
    { "a\n\nb", "a|\n|\n|b", "a|\n\n|b", NULL },
    { "a \n \n  b", "a| \n \n | b", "a| \n \n| | b", NULL },
    { "if(x){\n  y;\n}", "if|(|x|){|\n | y|;|\n|}", "if|(x|){\n| | y|;\n|}", NULL },
    { "\r\n\r\n.", "\r\n\r|\n|.", "\r\n\r\n|.", NULL },
    { "...\n\n x", "...|\n\n| x", "...\n\n| x", NULL },
    { "   ", "   ", NULL, NULL },
    { " \xe4\xb8\xad\xe6\x96\x87", " \xe4\xb8\xad\xe6\x96\x87", NULL, NULL },
    { "\xc2\xa0z", "\xc2\xa0|z", "\xc2\xa0z", NULL },                           // no-break space
    { "\xff\xfez \xe4\xb8", "\xff\xfe|z| \xe4\xb8", NULL, NULL },               // no UTF-8: symbols
    { "\xc2\xbd\xd9\xa3x", "\xc2\xbd\xd9\xa3|x", NULL, "\xc2\xbd|\xd9\xa3|x" }, // one half, Arabic three
    { "", "", NULL, NULL },
};

static const char *split(Arena *a, const TokenizerView *v, const char *text)
{
    Str out = str_new(a);
    Words w = words_of(v, (const uint8_t *)text, strlen(text));
    while (words_next(&w)) {
        str_add(&out, w.from ? "|" : "");
        str_add_bytes(&out, text + w.from, w.to - w.from);
    }
    return out.text;
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    if (argc != 4)
        return 2;
    const TokenizerView gpt2 = view_of(a, argv[1]), llama3 = view_of(a, argv[2]), smollm = view_of(a, argv[3]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const Case *c = &cases[i];
        ASSERT_STR(c->gpt2, split(a, &gpt2, c->text));
        ASSERT_STR(c->llama3 ? c->llama3 : c->gpt2, split(a, &llama3, c->text));
        ASSERT_STR(c->smollm ? c->smollm : c->gpt2, split(a, &smollm, c->text));
    }
    arena_free(a);
    return test_failed;
}
