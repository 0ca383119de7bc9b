// response.c: "@FILE" on the command line: the words of a file, as a shell would split them.
#include "options.h"

#include "base/diag.h"
#include "base/file.h"

#include <string.h>

enum { RESPONSE_DEPTH = 8 };

static const char *const blanks = " \t\r\n\v\f";

// One word from *at on: 'as it is', "with \" and \\", or plain with \ before any character.
static char *take_word(Arena *a, const char **at, Loc where)
{
    Str word = str_new(a);
    char quote = 0;
    const char *s = *at;
    for (; *s && (quote || !strchr(blanks, *s)); ++s) {
        if (quote && *s == quote)
            quote = 0;
        else if (!quote && (*s == '"' || *s == '\''))
            quote = *s;
        else if (*s == '\\' && s[1] && (!quote || (quote == '"' && strchr("\"\\", s[1]))))
            str_add_bytes(&word, ++s, 1);
        else
            str_add_bytes(&word, s, 1);
    }
    if (quote)
        error_at(where, ERR_USAGE, "a quote %c is open at the end of the file", quote);
    *at = s;
    return word.text;
}

static void add_file(Arena *a, const char *path, Words *words, int depth)
{
    if (depth > RESPONSE_DEPTH)
        error_at(loc_file(path), ERR_USAGE, "@FILE inside @FILE, more than %d deep", RESPONSE_DEPTH);
    if (!*path)
        error_at(NOWHERE, ERR_USAGE, "@ stands alone: @FILE takes options from a file");
    const Bytes text = file_read(a, path);
    if (memchr(text.at, 0, text.bytes))
        error_at(loc_file(path), ERR_USAGE, "holds a zero byte: @FILE is a text of options");
    for (const char *s = (const char *)text.at + strspn((const char *)text.at, blanks); *s; s += strspn(s, blanks)) {
        char *word = take_word(a, &s, loc_file(path));
        if (*word == '@')
            add_file(a, word + 1, words, depth + 1);
        else
            vec_push(a, words, word);
    }
}

Words response_expand(Arena *a, int argc, char **argv)
{
    Words words = { 0 };
    for (int i = 0; i < argc; ++i)
        if (i && argv[i][0] == '@')
            add_file(a, argv[i] + 1, &words, 1);
        else
            vec_push(a, &words, argv[i]);
    return words;
}
