// cli_sampling.c: the options of how ids are chosen: --temp and those that stand beside it.
#include "cli_sampling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

RtStatus cli_set_sampling(Cli *cli, SamplingField field, const char *how, const char *value, RtError *error)
{
    char *end = NULL;
    const double number = strtod(value, &end);
    if (end == value || *end || !sampling_set(&cli->sampling, field, number))
        return rt_fail(error, ERR_OPTION_VALUE, "%s is \"%.40s\": expected %s", how, value, sampling_wants(field));
    cli->sampling_asked |= 1u << field;
    return RT_OK;
}

static RtStatus take_seed(Cli *cli, RtError *error)
{
    const char *text = cli->seed;
    char *end = NULL;
    errno = 0;
    const unsigned long long seed = text ? strtoull(text, &end, 10) : 0;
    if (!text || strcmp(text, "-1") == 0) {
        cli->sampling.seed = sampling_any_seed();
        return RT_OK;
    }
    if (strspn(text, "0123456789") != strlen(text) || !*text || errno)
        return rt_fail(error, ERR_OPTION_VALUE, "--seed is \"%.40s\": expected a whole number, or -1 for any", text);
    cli->sampling.seed = seed;
    return RT_OK;
}

// ID+NUMBER, ID-NUMBER or ID-inf, as llama.cpp has it.
static RtStatus take_bias(const char *text, SamplingBias *bias, RtError *error)
{
    const size_t digits = strspn(text, "0123456789");
    char *end = NULL;
    const double add = strtod(text + digits, &end);
    uint32_t id;
    if (!sampling_bias_id(text, digits, &id) || !strchr("+-", text[digits]) || end == text + digits || *end || !sampling_bias_possible(add))
        return rt_fail(error, ERR_OPTION_VALUE, "--logit-bias is \"%.40s\": expected an id and what is added to its logit, as in 15043+1.5, "
                       "or 15043-inf (never)", text);
    *bias = (SamplingBias){ id, (float)add };
    return RT_OK;
}

static RtStatus check_idle(const Cli *cli, RtError *error)
{
    static const char *const options[SAMPLING_FIELDS] = { [SAMPLING_TOP_K] = "--top-k", [SAMPLING_TOP_P] = "--top-p", [SAMPLING_MIN_P] = "--min-p" };
    const SamplingField idle = sampling_idle(&cli->sampling, cli->sampling_asked);
    if (idle == SAMPLING_FIELDS)
        return RT_OK;
    if (idle == SAMPLING_WINDOW)
        return rt_fail(error, ERR_USAGE, "--repeat-last-n has no effect without --repeat-penalty, --presence-penalty or --frequency-penalty");
    return rt_fail(error, ERR_USAGE, "%s has an effect in sampling alone, and without --temp the largest logit is taken: "
                   "give --temp too, as in --temp 0.8", options[idle]);
}

RtStatus cli_check_sampling(Cli *cli, RtError *error)
{
    if (check_idle(cli, error) != RT_OK)
        return RT_FAILED;
    for (int i = 0; i < cli->logit_bias.n; ++i)
        if (take_bias(cli->logit_bias.at[i], &cli->bias[i], error) != RT_OK)
            return RT_FAILED;
    if (cli->logprobs >= 0 && !cli->json)
        return rt_fail(error, ERR_USAGE, "--logprobs has an effect beside --json alone, which shows them");
    cli->sampling.told = cli->logprobs >= 0;
    cli->sampling.logprobs = cli->sampling.told ? cli->logprobs : 0;
    cli->sampling.bias = cli->bias;
    cli->sampling.biases = cli->logit_bias.n;
    return take_seed(cli, error);
}
