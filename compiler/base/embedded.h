// embedded.h: files that are part of llmc itself: templates, targets, the shim's sources, the program stub.
#pragma once
#include "file.h"

// By path from the project's root ("templates/decode.cu"), or "stub"; at NULL: no such file.
Bytes embedded_file(const char *name);

// Names that start with `prefix`, sorted: the i-th, or NULL behind the last.
const char *embedded_name(const char *prefix, int i);
