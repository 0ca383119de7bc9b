// sampling.c: the possible values of what ids are chosen by.
#include "sampling.h"

#include <math.h>
#include <sys/random.h>
#include <time.h>

static const struct {
    double least, most;
    bool whole, over; // over: more than `least`
    const char *wants;
    size_t at;
} fields[SAMPLING_FIELDS] = {
    [SAMPLING_TEMPERATURE] = { 0, 1000, false, false, "0 (the largest logit), or 0.001 to 1000", offsetof(Sampling, temperature) },
    [SAMPLING_TOP_K] = { 0, 1 << 30, true, false, "a whole number, 0 (all) or more", offsetof(Sampling, top_k) },
    [SAMPLING_TOP_P] = { 0, 1, false, true, "over 0 and at most 1 (all)", offsetof(Sampling, top_p) },
    [SAMPLING_MIN_P] = { 0, 1, false, false, "0 (all) to 1", offsetof(Sampling, min_p) },
    [SAMPLING_REPEAT] = { 0, 100, false, true, "over 0 and at most 100; 1 changes nothing", offsetof(Sampling, repeat) },
    [SAMPLING_PRESENCE] = { -100, 100, false, false, "-100 to 100; 0 changes nothing", offsetof(Sampling, presence) },
    [SAMPLING_FREQUENCY] = { -100, 100, false, false, "-100 to 100; 0 changes nothing", offsetof(Sampling, frequency) },
    [SAMPLING_WINDOW] = { -1, 1 << 30, true, false, "a whole number: 0 (none) or more, -1 (the whole context)", offsetof(Sampling, window) },
};

Sampling sampling_default(void)
{
    return (Sampling){ .top_k = 40, .top_p = 0.95, .min_p = 0.05, .repeat = 1, .window = 64 };
}

bool sampling_set(Sampling *s, SamplingField field, double value)
{
    char *at = (char *)s + fields[field].at;
    if (!(value >= fields[field].least && value <= fields[field].most) || (fields[field].over && value == fields[field].least) ||
        (fields[field].whole && value != floor(value)) || (field == SAMPLING_TEMPERATURE && value > 0 && value < 0.001))
        return false;
    if (fields[field].whole)
        *(int *)(void *)at = (int)value;
    else
        *(double *)(void *)at = value;
    return true;
}

const char *sampling_wants(SamplingField field)
{
    return fields[field].wants;
}

SamplingField sampling_idle(const Sampling *s, unsigned asked)
{
    const unsigned penalties = 1u << SAMPLING_REPEAT | 1u << SAMPLING_PRESENCE | 1u << SAMPLING_FREQUENCY;
    const bool drawn = s->temperature > 0 || (asked >> SAMPLING_TEMPERATURE & 1);
    const bool penalised = s->repeat != 1 || s->presence != 0 || s->frequency != 0 || (asked & penalties);
    const bool idle[SAMPLING_FIELDS] = {
        [SAMPLING_TOP_K] = !drawn && s->top_k != 0,
        [SAMPLING_TOP_P] = !drawn && s->top_p != 1,
        [SAMPLING_MIN_P] = !drawn && s->min_p != 0,
        [SAMPLING_WINDOW] = !penalised,
    };
    int field = 0;
    while (field < SAMPLING_FIELDS && !(idle[field] && (asked >> field & 1)))
        ++field;
    return (SamplingField)field;
}

bool sampling_bias_possible(double add)
{
    return fabs(add) <= 1e6 || (isinf(add) && add < 0);
}

bool sampling_bias_id(const char *text, size_t bytes, uint32_t *id)
{
    uint32_t number = 0;
    for (size_t i = 0; i < bytes && i < 9; ++i) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        number = number * 10 + (uint32_t)(text[i] - '0');
    }
    *id = number;
    return bytes > 0 && bytes <= 9;
}

// 53 bits, so that a seed that is said survives as a JSON number.
uint64_t sampling_any_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        seed = (uint64_t)t.tv_sec * 1000000007u ^ (uint64_t)t.tv_nsec;
    }
    return seed >> 11;
}
