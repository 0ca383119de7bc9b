// frequencies.c: rope frequencies equal transformers' to float32's precision.
#include "../test.h"

#include "../../compiler/model/model.h"

// LlamaRotaryEmbedding(config).inv_freq for models/llama-3.2-1b.json, transformers 5.24, float32.
static const double llama3_want[32] = {
    1,
    0.663601279,
    0.440366626,
    0.292227834,
    0.193922758,
    0.128687382,
    0.0853971019,
    0.0566696189,
    0.0376060307,
    0.0249554086,
    0.0165604409,
    0.0109895291,
    0.00729266508,
    0.00483942125,
    0.00321144611,
    0.00129054801,
    0.000429556705,
    9.70828623e-05,
    1.94616387e-05,
    1.29147675e-05,
    8.57025589e-06,
    5.68723226e-06,
    3.77405445e-06,
    2.50446715e-06,
    1.66196742e-06,
    1.10288363e-06,
    7.31874934e-07,
    4.85673127e-07,
    3.22293289e-07,
    2.1387423e-07,
    1.41927202e-07,
    9.41830649e-08,
};

static int near(double want, double got)
{
    return fabs(got / want - 1) < 2e-6; // float32 rounds base ^ x, its result and each step of the interpolation
}

static Model model(RopeType type, double theta)
{
    return (Model){ .head_dim = 64,
                    .rope = { .type = type,
                              .theta = theta,
                              .factor = 32,
                              .low_freq_factor = 1,
                              .high_freq_factor = 4,
                              .original_max_tokens = 8192 } };
}

int main(void)
{
    Arena *a = arena_new();
    Model m = model(ROPE_LLAMA3, 500000);
    const double *got = model_rope_frequencies(a, &m);
    for (int i = 0; i < 32; ++i)
        ASSERT(near(llama3_want[i], got[i]));

    m = model(ROPE_DEFAULT, 10000);
    const double *plain = model_rope_frequencies(a, &m);
    ASSERT(plain[0] == 1.0 && near(0.749894209, plain[1]) && near(0.01, plain[16]) && near(0.000133352143, plain[31]));

    m = model(ROPE_LINEAR, 10000);
    const double *linear = model_rope_frequencies(a, &m);
    for (int i = 0; i < 32; ++i)
        ASSERT(linear[i] == plain[i] / 32);

    float factors[32];
    for (int i = 0; i < 32; ++i)
        factors[i] = i < 16 ? 1.0f : 8.0f;
    m = model(ROPE_FACTORS, 10000);
    m.rope.factors = factors;
    const double *divided = model_rope_frequencies(a, &m);
    ASSERT(divided[15] == plain[15] && divided[16] == plain[16] / 8);
    arena_free(a);
    return test_failed;
}
