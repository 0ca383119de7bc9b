// cli_prompt.c: the ids a run starts from: text through the tokenizer, or ids as they are.
#include "cli_prompt.h"
#include "cli_text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool prompt_tokenizer(const Package *p, TokenizerView *view, RtStatus *status, RtError *error)
{
    *status = RT_OK;
    if (!p->tokenizer.at)
        return false;
    if (tokenizer_open(view, p->tokenizer.at, p->tokenizer.bytes))
        return true;
    *status = rt_fail(error, ERR_PACKAGE, "the program's tokenizer tables are damaged");
    return false;
}

RtStatus text_read(const char *path, Text *text, RtError *error)
{
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!in)
        return rt_fail(error, ERR_FILE_MISSING, "%.600s: %s", path, strerror(errno));
    size_t room = 0, got = 0;
    do {
        if (text->bytes == room) {
            room = room ? 2 * room : 65536;
            char *more = realloc(text->at, room);
            if (!more || room > INT_MAX) {
                free(more ? more : text->at);
                *text = (Text){ NULL, 0 };
                if (in != stdin)
                    fclose(in);
                return rt_fail(error, ERR_MEMORY, "%.600s: no memory for so long a text", path);
            }
            text->at = more;
        }
        got = fread(text->at + text->bytes, 1, room - text->bytes, in);
        text->bytes += got;
    } while (got);
    const bool failed = ferror(in);
    if (in != stdin)
        fclose(in);
    return failed ? rt_fail(error, ERR_READ, "%.600s: %s", path, strerror(errno)) : RT_OK;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

size_t unescape(char *text, size_t bytes)
{
    static const char from[] = "ntr\\\"'", to[] = "\n\t\r\\\"'";
    size_t out = 0;
    for (size_t i = 0; i < bytes; ++i) {
        const char *rest = text + i + 1;
        const size_t left = bytes - i - 1;
        const char *found = text[i] == '\\' && left ? memchr(from, rest[0], sizeof from - 1) : NULL;
        char c = text[i];
        if (found) {
            c = to[found - from];
            ++i;
        } else if (c == '\\' && left >= 3 && rest[0] == 'x' && hex_value(rest[1]) >= 0 && hex_value(rest[2]) >= 0) {
            c = (char)(hex_value(rest[1]) * 16 + hex_value(rest[2]));
            i += 3;
        }
        text[out++] = c;
    }
    return out;
}

// Up to the next separator; 40 bytes are enough for a message.
static int word_bytes(const char *start, const char *end)
{
    int n = 0;
    while (start + n < end && n < 40 && start[n] != ',' && !isspace((unsigned char)start[n]))
        ++n;
    return n;
}

// 1,2,3 or numbers apart by spaces and lines.
static RtStatus parse_ids(const Text *text, uint32_t vocab, Prompt *prompt, RtError *error)
{
    prompt->ids = malloc((text->bytes / 2 + 1) * sizeof *prompt->ids);
    if (!prompt->ids)
        return rt_fail(error, ERR_MEMORY, "no memory for the ids");
    const char *end = text->at + text->bytes;
    int commas = 0; // since the last id
    for (const char *p = text->at; p < end;) {
        if (*p == ',' || isspace((unsigned char)*p)) {
            commas += *p++ == ',';
            if (commas > 1)
                return rt_fail(error, ERR_OPTION_VALUE, "--ids-in: at index %d nothing stands between two commas", prompt->n);
            continue;
        }
        commas = 0;
        uint64_t id = 0;
        const char *start = p;
        for (; p < end && isdigit((unsigned char)*p) && id < vocab; ++p)
            id = id * 10 + (uint64_t)(*p - '0');
        if (p == start)
            return rt_fail(error, ERR_OPTION_VALUE,
                           "--ids-in: \"%.*s\" at index %d is no id: expected numbers, as in 1,2,3",
                           word_bytes(start, end), start, prompt->n);
        if (id >= vocab)
            return rt_fail(error, ERR_OPTION_VALUE, "--ids-in: id %.*s at index %d: the model has ids below %u",
                           word_bytes(start, end), start, prompt->n, vocab);
        prompt->ids[prompt->n++] = (uint32_t)id;
    }
    return prompt->n ? RT_OK : rt_fail(error, ERR_OPTION_VALUE, "--ids-in has no ids");
}

static RtStatus encode(const Cli *cli, const Text *text, const TokenizerView *view, Prompt *prompt, RtError *error)
{
    const TokenizerText asked = { .text = text->at, .bytes = text->bytes, .bos = true, .special = cli->special };
    prompt->ids = malloc(tokenizer_room(view, text->bytes) * sizeof *prompt->ids);
    const int64_t n = prompt->ids ? tokenizer_encode_text(view, &asked, prompt->ids, &prompt->lost) : -1;
    if (n < 0)
        return rt_fail(error, ERR_MEMORY, "no memory to split %zu bytes of text into tokens", text->bytes);
    if (n == 0)
        return rt_fail(error, ERR_USAGE, "the prompt is empty, and this model has no token that begins a text");
    prompt->n = (int)n;
    return RT_OK;
}

static RtStatus copy_text(const char *from, Text *text, RtError *error)
{
    text->bytes = strlen(from);
    text->at = strdup(from);
    return text->at ? RT_OK : rt_fail(error, ERR_MEMORY, "no memory for the prompt");
}

RtStatus prompt_text(const Cli *cli, Text *text, RtError *error)
{
    RtStatus status = RT_OK;
    *text = (Text){ NULL, 0 };
    if (cli->prompt)
        status = copy_text(cli->prompt, text, error);
    else if (cli->file)
        status = text_read(cli->file, text, error);
    if (status == RT_OK && cli->escape && text->at)
        text->bytes = unescape(text->at, text->bytes);
    return status;
}

// A --ids-in that begins with a number and a comma, or has nothing but numbers, is the list itself; anything else is a
// file.
static bool is_list(const char *text)
{
    return text[strspn(text, "0123456789, ")] == 0 ||
           (isdigit((unsigned char)*text) && text[strspn(text, "0123456789")] == ',');
}

RtStatus prompt_no_tokenizer(const Cli *cli, const Package *p, RtError *error)
{
    const PackageBytes why = p->no_tokenizer;
    rt_fail(error, ERR_WEIGHTS_MISSING, "this program has no tokenizer%s%.*s", why.bytes ? ": " : "",
            (int)(why.bytes < 200 ? why.bytes : 200), why.bytes ? (const char *)why.at : "");
    weights_advise(error, p->plan, cli->name);
    return RT_FAILED;
}

RtStatus prompt_load(const Cli *cli, const Package *p, const TokenizerView *view, Prompt *prompt, RtError *error)
{
    memset(prompt, 0, sizeof *prompt);
    if (!cli->ids_in && !view)
        return prompt_no_tokenizer(cli, p, error);
    Text text = { NULL, 0 };
    RtStatus status;
    if (!cli->ids_in)
        status = prompt_text(cli, &text, error);
    else if (is_list(cli->ids_in))
        status = copy_text(cli->ids_in, &text, error);
    else if ((status = text_read(cli->ids_in, &text, error)) != RT_OK && error->id == ERR_FILE_MISSING)
        rt_fail(error, ERR_FILE_MISSING,
                "--ids-in is \"%.600s\": neither ids, as in 1,2,3, nor a file that can be read", cli->ids_in);
    if (status == RT_OK)
        status = cli->ids_in ? parse_ids(&text, p->plan->vocab, prompt, error)
                             : encode(cli, &text, view, prompt, error);
    free(text.at);
    return status;
}

void prompt_warn_lost(const Cli *cli, const char *where, size_t lost)
{
    if (lost)
        cli_warning(cli, "%s%s%zu %s of the prompt %s no token in this vocabulary and %s left out", where ? where : "",
                    where ? ": " : "", lost, lost == 1 ? "byte" : "bytes", lost == 1 ? "has" : "have", lost == 1 ? "was" : "were");
}

void prompt_show(const TokenizerView *view, const uint32_t *ids, int n)
{
    for (int i = 0; i < n; ++i) {
        size_t bytes = 0;
        const uint8_t *text = view ? tokenizer_bytes(view, ids[i], &bytes) : NULL;
        fprintf(stderr, "llmc: prompt %d: %u \"", i, ids[i]);
        print_clean(stderr, text ? (const char *)text : "", bytes);
        fputs("\"\n", stderr);
    }
}
