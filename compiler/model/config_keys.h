// config_keys.h: what each key of a config.json means here; private to compiler/model/.
#pragma once
#include "../base/json.h"

// Adds an error for each key that is unknown and for each whose value is not the one supported. Errors: CONFIG_KEY,
// CONFIG_VALUE.
void config_check_keys(Json config, Diags *d);
