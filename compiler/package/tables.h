// tables.h: the plan as the runtime and the reference read it.
#pragma once
#include "package_write.h"

typedef struct PkgTables {
    PkgPlan plan;
    PkgMatrix *matrices;
    PkgNorm *norms;
    PkgSchedule *schedules;
    PkgWave *waves;
    PkgTask *tasks;
    uint32_t *ints;
    int n_ints;
    double *rope;
} PkgTables;

// PKG_TRACE of a plan with a trace; at NULL: it has none.
Bytes package_trace(Arena *a, const Plan *p);

const PkgTables *package_tables(Arena *a, const PackageInput *in);
