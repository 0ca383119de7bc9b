// plan_json.h: what the writer, the reader and the prover share about plan.json.
#pragma once
#include "plan.h"

enum { PLAN_JSON_VERSION = 1 };

// "matrices", "norms" and "weight_bytes": what the matrix fingerprint is taken of.
void plan_write_matrices(const Plan *p, Str *out);

// Of the model and the target as the plan holds them.
uint64_t plan_model_fingerprint(const Plan *p);
uint64_t plan_target_fingerprint(const Plan *p);

// Parameters and what the weights take beyond two bytes each: parameter_bytes, token_bytes, norm_extra_bytes, padding_bytes.
void plan_count_weights(Plan *p);

// The split style (split.c): workers; the last context of the range of contexts number `reach` (the plan's last one ends it), and
// the parts of a K/V head in that range.
int plan_split_workers(const Plan *p);
int plan_split_reach(const Plan *p, int reach);
int plan_split_parts(const Plan *p, int workers, int reach);

// Pieces of shared memory that are kept through a whole token (memory_ring.c).
void plan_place_ring(Plan *p, Schedule *s);

// Bytes of a Request of runtime/package.h.
int64_t plan_request_bytes(void);
