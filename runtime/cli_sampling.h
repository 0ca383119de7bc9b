// cli_sampling.h: the options of how ids are chosen.
#pragma once
#include "cli.h"

// The value of an option that sets one field; `how`: as the user wrote the option. Error: OPTION_VALUE.
RtStatus cli_set_sampling(Cli *cli, SamplingField field, const char *how, const char *value, RtError *error);

// What those options say together: seed and biases are read, the fields that have no effect refused. Errors: OPTION_VALUE, USAGE.
RtStatus cli_check_sampling(Cli *cli, RtError *error);
