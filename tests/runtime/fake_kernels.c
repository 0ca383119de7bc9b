// fake_kernels.c: what the kernels of the stand-in model do, over host memory.
#include "fake_kernels.h"
#include "../../runtime/half.h"
#include "../../runtime/reference/choose.h"

#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>

int fake_setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

// Where a value of a matrix lies: the comment at Matrix in compiler/kernels/kernel.h, written out a second time.
static unsigned char *value_place(const FakeGrid *g, const PkgMatrix *m, uint32_t layer, uint32_t row, uint32_t col)
{
    unsigned char *copy = g->weights + m->base + layer * m->layer_stride;
    if (m->layout == PKG_LAYOUT_ROWS)
        return copy + row * m->slice_cols * 2 + col * 2;
    const uint32_t *first = g->image.ints + m->first_slice;
    uint32_t s = 0;
    while (col >= first[s + 1])
        ++s;
    col -= first[s];
    return copy + s * m->stride + ((row / 32 * (m->slice_cols / 8) + col / 8) * 32 + row % 32) * 16 + col % 8 * 2;
}

static float value_read(const FakeGrid *g, const PkgMatrix *m, uint32_t layer, uint32_t row, uint32_t col)
{
    uint16_t half;
    memcpy(&half, value_place(g, m, layer, row, col), sizeof half);
    return m->format == PKG_F16 ? f16_to_float(half) : bf16_to_float(half);
}

void fake_fill_weights(FakeGrid *g)
{
    const uint64_t *key = (const uint64_t *)(g->state + g->image.plan.keys_at);
    for (int i = 0; i < FAKE_MATRICES; ++i) {
        const PkgMatrix *m = &g->image.matrices[i];
        for (uint32_t layer = 0; layer < m->layers; ++layer, ++key)
            for (uint32_t row = 0; row < m->rows; ++row)
                for (uint32_t col = 0; col < m->cols; ++col) {
                    const float value = hash_weight(*key, row, col, hash_scale((int)m->cols));
                    const uint16_t half = m->format == PKG_F16 ? f16_from_float(value) : bf16_from_float(value);
                    memcpy(value_place(g, m, layer, row, col), &half, sizeof half);
                }
    }
    for (int i = 0; i < FAKE_NORMS; ++i) {
        const PkgNorm *n = &g->image.norms[i];
        for (uint32_t layer = 0; layer < n->layers; ++layer, ++key)
            for (uint32_t col = 0; col < n->cols; ++col) {
                const float value = hash_norm(*key, col);
                memcpy(g->weights + n->base + layer * n->layer_stride + col * 4, &value, sizeof value);
            }
    }
}

static uint64_t seen_by(const FakeGrid *g, uint32_t id, uint32_t position)
{
    const PkgPlan *plan = &g->image.plan;
    float row[64];
    uint64_t seen = 0;
    for (int i = 0; i < FAKE_MATRICES; ++i) {
        const PkgMatrix *m = &g->image.matrices[i];
        for (uint32_t col = 0; col < m->cols; ++col)
            row[col] = value_read(g, m, m->layers - 1, id % m->rows, col);
        seen = fake_mix(seen, row, m->cols);
    }
    for (int i = 0; i < FAKE_NORMS; ++i) {
        const PkgNorm *n = &g->image.norms[i];
        memcpy(row, g->weights + n->base + (n->layers - 1) * n->layer_stride, n->cols * sizeof *row);
        seen = fake_mix(seen, row, n->cols);
    }
    memcpy(row, g->state + plan->rope_at + position * plan->head_dim * 4, plan->head_dim * sizeof *row);
    return fake_mix(seen, row, plan->head_dim);
}

static bool report_fault(const FakeGrid *g, Request *r)
{
    const char *text = getenv("FAKE_CUDA_FAULT");
    unsigned token, wave, worker, cause;
    if (!text || sscanf(text, "%u:%u:%u:%u", &token, &wave, &worker, &cause) != 4 || token != g->token)
        return false;
    r->fault = (uint64_t)token << 48 | (uint64_t)wave << 32 | worker << 16 | cause;
    return true;
}

// As the reference does, with the ids that the cache was made of.
static uint32_t choose(const FakeGrid *g, const Request *r, const float *logits, uint32_t position)
{
    const PkgPlan *plan = &g->image.plan;
    const uint64_t *slots = (const uint64_t *)(g->state + plan->kv_at);
    uint32_t *known = malloc((position + 1) * sizeof *known), id;
    RefChoice c = { malloc(plan->vocab * sizeof *c.values), malloc(plan->vocab * sizeof *c.weights), malloc(plan->vocab * sizeof *c.order), 0, false };
    for (uint32_t p = 0; p <= position; ++p)
        known[p] = (uint32_t)slots[p];
    id = reference_choose(r, logits, (const float *)(g->state + plan->bias_at), (int)plan->vocab, known, (int)position + 1, &c);
    free(known);
    free(c.values);
    free(c.weights);
    free(c.order);
    return id;
}

bool fake_decode_token(FakeGrid *g)
{
    const PkgPlan *plan = &g->image.plan;
    Request *r = (Request *)(g->state + plan->request_at);
    Mailbox *mailbox = (Mailbox *)(uintptr_t)r->mailbox;
    if (g->token == r->tokens || r->done || (g->token && mailbox->stop && !fake_setting("FAKE_CUDA_DEAF", 0)) ||
        report_fault(g, r))
        return false;
    if (fake_setting("FAKE_CUDA_TOKEN_MS", 0))
        usleep(1000 * (unsigned)fake_setting("FAKE_CUDA_TOKEN_MS", 0));
    uint32_t chosen = 0; // where nothing is chosen
    const uint32_t position = r->position + g->token;
    const uint32_t id = g->token < r->forced ? r->ids[g->token] : r->id;
    uint64_t *slots = (uint64_t *)(g->state + plan->kv_at), history = 0;
    slots[position] = id;
    for (uint32_t p = 0; p <= position; ++p)
        history = fake_slot(history, slots[p]);
    if (g->token + 1 >= r->forced || r->all_logits) {
        float *logits = (float *)(g->state + plan->logits_at);
        const char *wrong = getenv("FAKE_CUDA_WRONG");
        fake_logits(history, seen_by(g, id, position), plan->vocab, logits);
        if (wrong && strcmp(wrong, "NAN") == 0)
            logits[3] = NAN;
        else if (wrong && strcmp(wrong, "BATCH") == 0)
            logits[3] += r->tokens > 1 ? 0x1p-20f : 0.0f;
        else if (wrong && (uint32_t)atoi(wrong) == position)
            logits[3] += 0.1f;
        r->id = r->choose & CHOOSE_VALUES ? choose(g, r, logits, position) : fake_best(logits, plan->vocab, g->state + plan->selectable_at);
        chosen = r->id;
        if (r->choose & CHOOSE_TOLD)
            reference_tell(logits, (int)plan->vocab, g->state + plan->selectable_at, (int)r->logprobs, chosen, &mailbox->told[g->token]);
        for (uint32_t i = 0; i < r->eos_count; ++i)
            r->done |= r->eos[i] == r->id;
    }
    __atomic_store_n(&mailbox->ids[g->token++], chosen, __ATOMIC_RELEASE);
    return true;
}
