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

// Bytes of a Request of runtime/package.h.
int64_t plan_request_bytes(void);
