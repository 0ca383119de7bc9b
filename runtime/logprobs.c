// logprobs.c: log-probabilities of ids, as OpenAI's API writes them.
#include "logprobs.h"
#include "cli_json.h"

#include <math.h>
#include <stdlib.h>

bool logprobs_add(Logprobs *l, uint32_t id, const Told *told)
{
    if (l->n == l->room) {
        const size_t room = 2 * l->room + 64;
        LogprobsEntry *more = realloc(l->at, room * sizeof *more);
        if (!more)
            return false;
        l->at = more;
        l->room = room;
    }
    l->at[l->n++] = (LogprobsEntry){ id, *told };
    return true;
}

void logprobs_free(Logprobs *l)
{
    free(l->at);
    *l = (Logprobs){ 0 };
}

double logprob_of(const Told *told, float logit)
{
    return ((double)logit - told->largest) - log((double)told->weight * 0x1p-40);
}

// A token's bytes as text: what is no whole code point becomes U+FFFD.
static void put_token(FILE *out, const TokenizerView *v, uint32_t id)
{
    size_t bytes = 0;
    const uint8_t *text = v ? tokenizer_bytes(v, id, &bytes) : NULL;
    if (text)
        print_json_string(out, (const char *)text, bytes);
    else
        fputs("null", out);
}

static void put_entry(FILE *out, const TokenizerView *v, uint32_t id, double logprob)
{
    size_t bytes = 0;
    const uint8_t *text = v ? tokenizer_bytes(v, id, &bytes) : NULL;
    fprintf(out, "{\"id\":%u,\"token\":", id);
    put_token(out, v, id);
    fputs(",\"logprob\":", out);
    json_number(out, logprob);
    fputs(",\"bytes\":", out);
    for (size_t i = 0; i < bytes; ++i)
        fprintf(out, "%s%u", i ? "," : "[", text[i]);
    fputs(!text ? "null" : bytes ? "]" : "[]", out);
}

// The largest there are: a vocabulary may have fewer.
static int largest_of(const Logprobs *l, const Told *told)
{
    int n = 0;
    while (n < l->most && told->ids[n] != UINT32_MAX)
        ++n;
    return n;
}

void logprobs_chat(FILE *out, const Logprobs *l, size_t from, size_t to, const TokenizerView *v)
{
    fputs("{\"content\":[", out);
    for (size_t i = from; i < to; ++i) {
        const Told *t = &l->at[i].told;
        fputs(i > from ? "," : "", out);
        put_entry(out, v, l->at[i].id, logprob_of(t, t->chosen));
        fputs(",\"top_logprobs\":[", out);
        for (int k = 0; k < largest_of(l, t); ++k) {
            fputs(k ? "," : "", out);
            put_entry(out, v, t->ids[k], logprob_of(t, t->logits[k]));
            fputc('}', out);
        }
        fputs("]}", out);
    }
    fputs("],\"refusal\":null}", out);
}

// Characters of UTF-8: bytes that begin one.
static size_t characters(const TokenizerView *v, uint32_t id)
{
    size_t bytes = 0, n = 0;
    const uint8_t *text = tokenizer_bytes(v, id, &bytes);
    for (size_t i = 0; i < bytes; ++i)
        n += (text[i] & 0xc0) != 0x80;
    return n;
}

void logprobs_text(FILE *out, const Logprobs *l, size_t from, size_t to, const TokenizerView *v, size_t *offset)
{
    fputs("{\"tokens\":[", out);
    for (size_t i = from; i < to; ++i) {
        fputs(i > from ? "," : "", out);
        put_token(out, v, l->at[i].id);
    }
    fputs("],\"token_logprobs\":[", out);
    for (size_t i = from; i < to; ++i) {
        fputs(i > from ? "," : "", out);
        json_number(out, logprob_of(&l->at[i].told, l->at[i].told.chosen));
    }
    fputs("],\"top_logprobs\":[", out);
    for (size_t i = from; i < to; ++i) {
        const Told *t = &l->at[i].told;
        fputs(i > from ? ",{" : "{", out);
        for (int k = 0; k < largest_of(l, t); ++k) {
            fputs(k ? "," : "", out);
            put_token(out, v, t->ids[k]);
            fputc(':', out);
            json_number(out, logprob_of(t, t->logits[k]));
        }
        fputc('}', out);
    }
    fputs("],\"text_offset\":[", out);
    for (size_t i = from; i < to; ++i) {
        fprintf(out, "%s%zu", i > from ? "," : "", *offset);
        *offset += characters(v, l->at[i].id);
    }
    fputs("]}", out);
}
