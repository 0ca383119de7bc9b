// squeeze.h: bytes -> the squeezed form of runtime/squeeze.h.
#pragma once
#include "../base/arena.h"
#include "../base/file.h"

// The same bytes give the same form on every machine. It may be longer than what it stands for.
Bytes squeeze(Arena *a, const void *from, size_t bytes);
