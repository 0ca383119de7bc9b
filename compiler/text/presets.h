// presets.h: the rules of splitting that have names.
#pragma once
#include "vocab.h"

extern const char rule_gpt2[], rule_llama3[], rule_qwen2[], rule_gpt4o[], rule_tekken[];

// What Hugging Face's steps Digits and Punctuation take for one.
CharSet rule_digits(Vocab *v);
CharSet rule_punctuation(Vocab *v);

typedef struct Preset {
    const char *names;       // in GGUF's tokenizer.ggml.pre, a blank before and behind each
    const char *patterns[7]; // of the steps, each ISOLATED; "0-9": a step Digits; ended by NULL
    bool whole_words, bos;   // as llama.cpp has them for this rule; bos: unless add_bos_token says otherwise
    bool compose;            // the model's tokenizer.json has the normalizer NFC
} Preset;

// By a name in GGUF, or NULL.
const Preset *preset_find(const char *name);

// NULL, or why a name that is known is not supported.
const char *preset_why_not(const char *name);

// Adds the steps of a preset, and sets what else it says but bos.
void preset_apply(const Preset *p, Vocab *v);
