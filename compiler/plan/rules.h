// rules.h: the rules of plan_check, one function each, and how they report.
#pragma once
#include "plan_json.h"

// Reports `rule N: text [decode_384]`; s NULL: the rule is about the whole plan.
void rule_fail(const Plan *p, const Schedule *s, Diags *d, int rule, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

// Names of a task for messages: "task 17 (qkv, worker 16, rows 2457-2610)".
const char *rule_task(const Plan *p, const Schedule *s, int task);

// Output rows that tasks of an op divide: K/V heads x parts for attention, the matrix rows of gate for the feed-forward.
int rule_rows(const Plan *p, const Schedule *s, const Op *op);

void rule_writers(const Plan *p, const Schedule *s, Diags *d);      // 1
void rule_contexts(const Plan *p, Diags *d);                        // 1
void rule_order(const Plan *p, const Schedule *s, Diags *d);        // 2
void rule_buffers(const Plan *p, const Schedule *s, Diags *d);      // 3
void rule_cache(const Plan *p, const Schedule *s, Diags *d);        // 3
void rule_trace(const Plan *p, const Schedule *s, Diags *d);        // 3
void rule_shared(const Plan *p, const Schedule *s, Diags *d);       // 4
void rule_resident(const Plan *p, const Schedule *s, Diags *d);     // 5
void rule_one_kernel(const Plan *p, const Schedule *s, Diags *d);   // 6
void rule_barriers(const Plan *p, const Schedule *s, Diags *d);     // 6
void rule_repeats(const Plan *p, const Schedule *s, Diags *d);      // 6
void rule_weights(const Plan *p, Diags *d);                         // 7
void rule_streams(const Plan *p, const Schedule *s, Diags *d);      // 7
void rule_alignment(const Plan *p, const Schedule *s, Diags *d);    // 8
void rule_balance(const Plan *p, const Schedule *s);                // 9, a warning
void rule_kernels(const Plan *p, const Schedule *s, Diags *d);      // 10
void rule_tasks(const Plan *p, const Schedule *s, Diags *d);        // 10
void rule_fingerprints(const Plan *p, Diags *d);                    // 11

void rule_packets(const Plan *p, const Schedule *s, Diags *d);      // 12
void rule_polls(const Plan *p, const Schedule *s, Diags *d);        // 13
void rule_slots(const Plan *p, const Schedule *s, Diags *d);        // 14
void rule_rows_kept(const Plan *p, const Schedule *s, Diags *d);    // 15

// What rules 7, 10 and 14 want of the split style (check_packets.c).
void rule_ring(const Plan *p, const Schedule *s, bool *used, Diags *d);
void rule_stack(const Plan *p, const Schedule *s, const Wave *w, Diags *d);
int64_t rule_fragments(const Matrix *m);

// Bytes a buffer needs for tensors of this role in one schedule (memory.c).
int64_t plan_act_bytes(const Plan *p, const Schedule *s, const Tensor *t);
// Bytes of the stamps that a plan with a trace needs (trace.c).
int64_t plan_trace_bytes(const Plan *p);
// Buffers that choosing an id needs beside its candidates, and how many bytes of each (memory.c). The list ends with NULL.
extern const char *const plan_choice_buffers[];
int64_t plan_choice_bytes(const Plan *p, const char *name);
// Pieces of shared memory that every kernel of the split style uses (memory_ring.c).
void ring_pieces(const Plan *p, const Schedule *s, Smem *smem);
// Is it in a stack behind another matrix, whose place it shares (memory.c)?
bool plan_stack_follows(const Matrix *m);
// First and last rolled wave that touch a role's tensors (memory.c); last_wave -1: none.
void plan_lifetime(const Plan *p, const Schedule *s, const char *role, Buffer *b);
