// cli_stats.h: the line of statistics after a run, and the figures in it.
#pragma once
#include "cli.h"
#include "generate.h"

typedef struct Stats {
    RtLoad load;
    double prompt_seconds, decode_seconds;
    double first_seconds; // from the start of the prompt to the first id; 0: there was none
    int prompt_tokens;
    int made;           // ids given out
    int steps;          // tokens that decode_seconds are for: the first id comes with the prompt
    int first, last;    // positions in the context before and after the steps
    bool drawn;         // ids were drawn, under `seed`
    uint64_t seed;
    uint64_t hash;      // FNV-1a of the ids, four bytes each
} Stats;

// Counts and times of an answer.
void stats_take(Stats *s, const Generate *g);

// Milliseconds in which the bytes of a token at a context (positions attended) stream at gbs * 10^9 bytes a second; 0: gbs is 0.
double floor_ms(const Package *p, double context, double gbs);
// The target's streaming rate; 0: the program is for the CPU, and has no floor.
double floor_gbs(const Package *p);
#define NO_FLOOR "on a CPU a loop that reads the weights is no bound for a token"

double stats_step_ms(const Stats *s);      // 0: no step
double stats_mean_context(const Stats *s); // of the steps

void stats_figures(const Package *p, const Stats *s, FILE *out); // from the prompt to the share of the floor
void stats_print(const Package *p, const Stats *s, FILE *out);
// One object with the names of llama.cpp's timings, and more. predicted_n counts ids; times a token are over the steps after
// the first id, which comes with the prompt.
void stats_json(const Package *p, const Stats *s, FILE *out);

uint64_t hash_ids_start(void);
uint64_t hash_ids_add(uint64_t hash, const void *from, size_t bytes);

// "8,390 tok/s", "81.9 tok/s"; "0.41 s", "61 ms"; "12.21", "0.581".
typedef struct FigureText {
    char text[48];
} FigureText;
FigureText figure_rate(double per_second);
FigureText figure_time(double seconds);
FigureText figure_ms(double ms);
