// cli_answer.h: an answer as one JSON object.
#pragma once
#include "cli_stats.h"
#include "logprobs.h"

typedef struct Answered {
    const char *text; // [text_bytes]; NULL: ids alone were asked for
    size_t text_bytes;
    const uint32_t *ids; // [stats->made]
    const Generate *generate;
    const Logprobs *logprobs;   // NULL: not asked for
    const TokenizerView *view;  // of their texts; NULL: none
    const Stats *stats;
    bool all_hashes; // with those of --hash and --logits
    uint64_t hash_all, hash_logits;
} Answered;

// One line on standard output; usage as OpenAI's API has it, timings as stats_json.
void answer_json(const Cli *cli, const Rt *rt, const Answered *a);
