// choose.c: how an id is chosen, in plain C: every step sorts, counts and adds what it says, over the whole vocabulary.
#include "choose.h"
#include "sums.h"

#include <stdlib.h>
#include <string.h>

uint64_t reference_random(uint64_t seed, uint32_t position, uint32_t draw)
{
    uint32_t c[4] = { position, draw, 0, 0 }, key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = (uint64_t)c[0] * 0xd2511f53u, b = (uint64_t)c[2] * 0xcd9e8d57u;
        const uint32_t next[4] = { (uint32_t)(b >> 32) ^ c[1] ^ key[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ key[1], (uint32_t)a };
        for (int i = 0; i < 4; ++i)
            c[i] = next[i];
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return (uint64_t)c[1] << 32 | c[0];
}

static void values_of(const Request *how, const float *logits, const float *bias, int vocab, const uint32_t *known, int positions,
                      float *values)
{
    const int window = (int)how->window, from = positions > window ? positions - window : 0;
    for (int id = 0; id < vocab; ++id) {
        uint32_t n = 0;
        for (int p = from; p < positions && (how->choose & CHOOSE_PENALTIES); ++p)
            n += known[p] == (uint32_t)id;
        values[id] = logits[id] + bias[id];
        if (!n)
            continue;
        values[id] *= values[id] > 0 ? how->shrink : how->grow;
        values[id] -= fmaf((float)n, how->frequency, how->presence);
    }
}

static int by_distance(const void *a, const void *b)
{
    const RefEntry *x = a, *y = b;
    return x->distance < y->distance ? -1 : x->distance > y->distance ? 1 : x->id < y->id ? -1 : x->id > y->id;
}

// In units of 2^-40.
static uint64_t weight_of(float distance, float scale)
{
    return (uint64_t)(sum_exp2(-distance * scale) * 0x1p40f);
}

static uint64_t share_of(uint64_t all, uint64_t of_64_bits)
{
    return (uint64_t)((unsigned __int128)all * of_64_bits >> 64);
}

// How many of n sorted entries top-k and top-p leave.
static int stay_of(const Request *how, const RefEntry *order, int n)
{
    uint64_t all = 0, sum = 0;
    n = how->top_k && n > (int)how->top_k ? (int)how->top_k : n;
    for (int i = 0; i < n; ++i)
        all += weight_of(order[i].distance, 1.44269504f);
    const uint64_t share = share_of(all, (uint64_t)how->top_p << 32), want = share ? share : 1;
    for (int i = 0; i < n && how->top_p; ++i) {
        sum += weight_of(order[i].distance, 1.44269504f);
        if (sum >= want)
            return i + 1;
    }
    return n;
}

// Sixteen bins an octave of distances from 2^-6 on, the first and the last of 256 without an end.
static int bin_of(float distance)
{
    uint32_t bits;
    memcpy(&bits, &distance, sizeof bits);
    const uint32_t bin = bits < 0x3c800000u ? 0 : (bits - 0x3c800000u) >> 19;
    return bin < 255 ? (int)bin : 255;
}

// How many of n sorted entries lie up to the end of the bin of entry i.
static int up_to_bin(const RefEntry *order, int n, int i)
{
    const int bin = bin_of(order[i].distance);
    while (i < n && bin_of(order[i].distance) == bin)
        ++i;
    return i;
}

// How many of n sorted entries a first draw is from, `stay` of which count: where more than LISTED lie up to the end of the bin of
// top-p's last one, all those, so that a draw that falls before that bin needs no exact cut.
static int proposed_of(const Request *how, const RefEntry *order, int n, int stay)
{
    enum { LISTED = 256 };
    const bool cut = how->top_k && n >= (int)how->top_k;
    if (!how->top_p || (cut && up_to_bin(order, n, (int)how->top_k - 1) <= LISTED))
        return stay;
    const int proposed = up_to_bin(order, cut ? (int)how->top_k : n, stay - 1);
    return proposed <= LISTED ? stay : proposed;
}

// The id of an entry drawn by weight: lower ids come first.
static uint32_t draw(const Request *how, const RefEntry *order, int n, int vocab, uint64_t random, uint64_t *weights)
{
    uint64_t all = 0;
    memset(weights, 0, (size_t)vocab * sizeof *weights);
    for (int i = 0; i < n; ++i)
        if (order[i].distance <= how->reach) {
            weights[order[i].id] = weight_of(order[i].distance, how->scale);
            all += weights[order[i].id];
        }
    uint64_t left = share_of(all, random);
    for (int id = 0; id < vocab; ++id) {
        if (left < weights[id])
            return (uint32_t)id;
        left -= weights[id];
    }
    return order[0].id; // not reached: left was below the sum
}

uint32_t reference_choose(const Request *how, const float *logits, const float *bias, int vocab, const uint32_t *known, int positions,
                          RefChoice *c)
{
    int best = -1, n = 0;
    values_of(how, logits, bias, vocab, known, positions, c->values);
    for (int id = 0; id < vocab; ++id)
        if (c->values[id] > (best < 0 ? -INFINITY : c->values[best]))
            best = id;
    if (!(how->choose & CHOOSE_DRAWN))
        return (uint32_t)best;
    for (int id = 0; id < vocab; ++id)
        if (isfinite(c->values[best] - c->values[id]))
            c->order[n++] = (RefEntry){ c->values[best] - c->values[id], (uint32_t)id };
    qsort(c->order, (size_t)n, sizeof *c->order, by_distance);
    c->stay = stay_of(how, c->order, n);
    c->again = false;
    if (n == 0)
        return 0; // the largest is infinite
    const int proposed = proposed_of(how, c->order, n, c->stay);
    uint32_t id = draw(how, c->order, proposed, vocab, reference_random(how->seed, (uint32_t)positions, 0), c->weights);
    int rank = 0;
    while (rank < proposed && c->order[rank].id != id)
        ++rank;
    c->again = rank >= c->stay;
    if (c->again)
        id = draw(how, c->order, c->stay, vocab, reference_random(how->seed, (uint32_t)positions, 1), c->weights);
    return id;
}

void reference_tell(const float *logits, int vocab, const uint8_t *selectable, int logprobs, uint32_t chosen, Told *told)
{
    float last = INFINITY;
    int last_id = -1;
    *told = (Told){ .largest = -INFINITY, .chosen = logits[chosen] };
    for (int id = 0; id < vocab; ++id)
        if ((selectable[id / 8] >> id % 8 & 1) && logits[id] > told->largest)
            told->largest = logits[id];
    for (int id = 0; id < vocab; ++id)
        if (selectable[id / 8] >> id % 8 & 1)
            told->weight += weight_of(told->largest - logits[id], 1.44269504f);
    for (int i = 0; i < logprobs; ++i) {
        int best = -1;
        for (int id = 0; id < vocab; ++id)
            if ((selectable[id / 8] >> id % 8 & 1) && (logits[id] < last || (logits[id] == last && id > last_id)) &&
                (best < 0 || logits[id] > logits[best]))
                best = id;
        last = best < 0 ? -3.402823466e38f : logits[best];
        last_id = best;
        told->ids[i] = (uint32_t)best;
        told->logits[i] = last;
    }
}
