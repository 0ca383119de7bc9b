// llmc.h: a compiled model as a library: open, prefill, sample, decode, reset, close, and text to ids and back.
//
// `llmc compile MODEL --emit=lib -o NAME` writes libNAME.so and libNAME.a, which both have these functions and the model's code
// inside, and this header as NAME.h. Link one of them:
//
//   cc app.c -L. -lNAME -Wl,-rpath,'$ORIGIN'          the shared one
//   cc app.c libNAME.a -lm -ldl -lpthread             the static one, one model a program
//
// The library never prints and never exits. It needs libc and, for a GPU, the NVIDIA driver. Calls for one Llmc come from one
// thread at a time.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LLMC_API __attribute__((visibility("default")))

typedef struct Llmc Llmc;

// All zero: the model's own weights on the first device, the whole context.
typedef struct LlmcOptions {
    const char *weights; // a file NAME.llmw, or "random:SEED"; NULL: the file NAME.llmw beside libNAME.so, or APP.llmw beside
                         // the program APP that libNAME.a is part of
    const char *program; // another library (.so) or program made by llmc, to be used instead of the model inside; may be NULL
    const char *device;  // index, UUID or part of the name; NULL: the first
    int context;         // positions to use; 0: the compiled context, the most there is
    int ignore_eos;      // 1: no id ends a text
    int (*cancelled)(void *context); // asked while a kernel runs; not 0: leave after the current token. May be NULL
    void *cancelled_context;
} LlmcOptions;

// Opens the device, checks that it is the one the model was compiled for, copies the weights there. 0: done. Else the number of
// the error, as `llmc explain` has it; then llmc_error says more, and llmc_close gives *l back all the same.
LLMC_API int llmc_open(Llmc **l, const LlmcOptions *options);
LLMC_API void llmc_close(Llmc *l);

// What went wrong last, and "" or what to do about it. l NULL: there was no memory for an Llmc.
LLMC_API const char *llmc_error(const Llmc *l);
LLMC_API const char *llmc_advice(const Llmc *l);

// Appends ids to the context; n is 1 or more. 0: done, else an error; one that says the context is full appended nothing.
LLMC_API int llmc_prefill(Llmc *l, const uint32_t *ids, int n);

// Added to the logit of an id: -1000000 to 1000000, or -INFINITY: the id is never chosen.
typedef struct LlmcBias {
    uint32_t id;
    float add;
} LlmcBias;

// How ids are chosen, in this order; all zero: the largest logit. `bias` is added. An id that stands n times among the last tokens has
// its logit divided by repeat_penalty where it is over 0, else multiplied by it; then n * frequency_penalty and once presence_penalty
// are taken off. Of the values that come of it top_k, top_p and min_p leave some, and one is drawn. Without a temperature it is the
// largest value, and top_k, top_p, min_p and seed have no effect.
typedef struct LlmcSampling {
    double temperature;        // 0: nothing is drawn; else 0.001 to 1000: the values are divided by it
    int top_k;                 // so many of the largest values stay; 0: all
    double top_p;              // of those, from the largest down, as few as have this share of their probability, 0 to 1; 0 or 1: all
    double min_p;              // of those, the ones with this share of the largest one's probability or more, 0 to 1; 0: all
    double repeat_penalty;     // a factor, 0 to 100; 0 or 1: nothing
    double presence_penalty;   // in logits, -100 to 100; 0: nothing
    double frequency_penalty;  // the same, for each time
    int repeat_last_n;         // so many tokens the penalties look back at, those of the prompt too; 0: 64; -1: all
    uint64_t seed;             // the same seed, model and context: the same ids; 0 is a seed as any other
    const LlmcBias *bias;      // [biases]
    int biases;
} LlmcSampling;

// How llmc_decode chooses from here on, until it is called again; llmc_reset changes nothing of it. NULL: the largest logit. What it
// points to need not stay. 0: done, else an error (a field out of its range, an id that the model does not have, biases that leave no
// id), and ids are chosen as before.
LLMC_API int llmc_sample(Llmc *l, const LlmcSampling *how);

// Gets each id as soon as it is known; 0: stop after it.
typedef int LlmcSink(void *context, uint32_t id);

typedef enum LlmcEnd {
    LLMC_COUNT,     // n ids were chosen
    LLMC_EOS,       // an id that ends a text; the sink got it
    LLMC_CONTEXT,   // no position is free
    LLMC_SINK,      // the sink's word
    LLMC_CANCELLED, // the word of `cancelled`
} LlmcEnd;

// Chooses up to n ids, each appended to the context. Something must have been prefilled since it was opened or reset.
LLMC_API int llmc_decode(Llmc *l, int n, LlmcSink *sink, void *context, LlmcEnd *end);

// Forgets the context; or all of it but what it shares with the beginning of ids[n], of which at most n - 1 are kept: returns
// how many, the rest is for llmc_prefill.
LLMC_API void llmc_reset(Llmc *l);
LLMC_API int llmc_keep(Llmc *l, const uint32_t *ids, int n);

// Positions taken, positions there are, ids of the model.
LLMC_API int llmc_position(const Llmc *l);
LLMC_API int llmc_context(const Llmc *l);
LLMC_API int llmc_vocabulary(const Llmc *l);

// The ids of a text, BOS in front where the model wants it; special: special tokens written out in it are those tokens. Bytes that the
// vocabulary has no token for are left out. Returns
// how many there are, of which the first `room` are in ids; -1: an error (no tokenizer is in the model, no memory).
LLMC_API long llmc_encode(Llmc *l, const char *text, size_t bytes, int bos, int special, uint32_t *ids, long room);

// The bytes of an id, not ended by a zero byte; parts of a code point are possible. NULL: no tokenizer, or no such id.
LLMC_API const char *llmc_text(const Llmc *l, uint32_t id, size_t *bytes);

#ifdef __cplusplus
}
#endif
