// cli_prompt.h: the ids a run starts from.
#pragma once
#include "cli.h"
#include "tokenizer.h"

typedef struct Prompt {
    uint32_t *ids;
    int n;
    size_t lost; // bytes of text that the vocabulary has no token for
} Prompt;

typedef struct Text {
    char *at; // to be given back with free()
    size_t bytes;
} Text;

// A whole file, or standard input for "-". Errors: FILE_MISSING, READ, MEMORY.
RtStatus text_read(const char *path, Text *text, RtError *error);

// What -p or -f gives, after -e; neither: an empty text at NULL. Errors: those of text_read.
RtStatus prompt_text(const Cli *cli, Text *text, RtError *error);

// The program's tokenizer. false: it has none.
bool prompt_tokenizer(const Package *p, TokenizerView *view, RtStatus *status, RtError *error);

// Says why it has none; RT_FAILED.
RtStatus prompt_no_tokenizer(const Cli *cli, const Package *p, RtError *error);

// From -p, -f or --ids-in. view NULL: no tokenizer. Errors: WEIGHTS_MISSING with the `llmc pack` line, OPTION_VALUE, READ, USAGE.
RtStatus prompt_load(const Cli *cli, const Package *p, const TokenizerView *view, Prompt *prompt, RtError *error);

// Warns of bytes of a prompt that the vocabulary has no token for, if there are any. where: the request's path, or NULL.
void prompt_warn_lost(const Cli *cli, const char *where, size_t lost);

// The ids of a prompt on stderr, a line each, with the text of each where there is a tokenizer (view not NULL).
void prompt_show(const TokenizerView *view, const uint32_t *ids, int n);

// Replaces \n \t \r \\ \" \' \xHH in place; returns the bytes that are left. Anything else behind a backslash stays as it is.
size_t unescape(char *text, size_t bytes);
