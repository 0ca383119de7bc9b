// logprobs.h: log-probabilities of ids, as OpenAI's API writes them.
#pragma once
#include "package.h"
#include "tokenizer.h"

#include <stdio.h>

// What was told of one id that was given out.
typedef struct LogprobsEntry {
    uint32_t id;
    Told told;
} LogprobsEntry;

typedef struct Logprobs {
    LogprobsEntry *at; // [n]
    size_t n, room;
    int most; // of the largest, beside the id's own
} Logprobs;

bool logprobs_add(Logprobs *l, uint32_t id, const Told *told); // false: no memory
void logprobs_free(Logprobs *l);

// Natural logarithm of an id's share of e^logit over all ids that may be chosen.
double logprob_of(const Told *told, float logit);

// {"content":[{"token":"..","logprob":..,"bytes":[..],"id":..,"top_logprobs":[..]},..],"refusal":null} of entries `from` to `to`. Without a
// tokenizer (NULL) "token" is null.
void logprobs_chat(FILE *out, const Logprobs *l, size_t from, size_t to, const TokenizerView *v);
// {"tokens":[..],"token_logprobs":[..],"top_logprobs":[{"..":..},..],"text_offset":[..]}, of /v1/completions; offset: characters before entry
// `from`, which moves on.
void logprobs_text(FILE *out, const Logprobs *l, size_t from, size_t to, const TokenizerView *v, size_t *offset);
