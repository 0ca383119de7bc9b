// routes.h: what stands at which path.
#pragma once
#include "http.h"

// NULL: e->refusal says why.
const Route *route_find(Exchange *e, const char *method, const char *path);
