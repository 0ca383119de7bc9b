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

// The split style (split.c): what stands in its way, for people; NULL: nothing does. Workers; most parts of a K/V head.
const char *plan_split_unfit(const Graph *unfused, const Target *t, const PlanOptions *o);
int plan_split_workers(const Plan *p);
int plan_split_most(const Plan *p, int workers);

// By the cost model (choose.c), for schedules that are otherwise like the one given: powers of two from 2 on, as many parts as are
// worth it at a context; and ranges of contexts, each with its power of two of parts up to `most`.
typedef struct PartRanges {
    int n, parts[4], last[4]; // last: context of the range
} PartRanges;
int plan_best_parts(const Plan *p, const Schedule *like, int ctx);
PartRanges plan_part_ranges(const Plan *p, const Schedule *like, int most);

// Pieces of shared memory that are kept through a whole token (memory_ring.c).
void plan_place_ring(Plan *p, Schedule *s);

// Bytes of a Request of runtime/package.h.
int64_t plan_request_bytes(void);
