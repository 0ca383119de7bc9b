// engine.h: hosts the template language: one Lua state, sandboxed; errors become messages at template lines.
#pragma once
#include "render.h"

typedef struct lua_State lua_State;

// A state with the engine loaded; closed when the arena is freed. `folder`: templates that replace the embedded ones, or NULL.
lua_State *engine_open(Arena *a, const char *folder);

// Renders `name` with the table on top of the stack as parameters, and pops it. Error: TEMPLATE.
Source engine_render(Arena *a, lua_State *L, const char *name, bool line);
