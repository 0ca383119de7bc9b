// bind.h: plan records -> the tables that templates see.
#pragma once
#include "../plan/plan.h"

typedef struct lua_State lua_State;

// Pushes the parameters of decode.cu.
void bind_decode(lua_State *L, const Plan *p);

// bind_kernel.c: pushes the parameters of one task function, and returns its name in the text: the kernel's, or with the
// schedule's longest context behind it where another schedule's function of that name differs.
void bind_kernel(lua_State *L, const Plan *p, const Schedule *s, const Kernel *k, const char *name);

// bind_split.c: adds what templates of the split style want to the parameters on top of the stack: of one kernel; of the text
// that all of a schedule's kernels share.
void bind_split(lua_State *L, const Plan *p, const Schedule *s, const Kernel *k);
void bind_split_places(lua_State *L, const Plan *p, const Schedule *s);

// Where a matrix lies, as <slot>_at and so on.
void bind_matrix(lua_State *L, const Plan *p, const char *slot, const Matrix *m);

// bind_setup.c: pushes the parameters of setup.cu.
void bind_setup(lua_State *L, const Plan *p);

// The wave's tasks follow no formula, so a table is baked.
bool bind_irregular(const Plan *p, const Schedule *s, const Wave *w);

void bind_int(lua_State *L, const char *key, int64_t value);
void bind_bool(lua_State *L, const char *key, bool value);
void bind_string(lua_State *L, const char *key, const char *value);
void bind_float(lua_State *L, const char *key, double value);
