// disguise.h: files that are not what their name says.
#pragma once
#include "../base/file.h"

// Refuses what downloads leave in a file's place: nothing, a Git LFS pointer, an HTML page, a pickled or zipped
// checkpoint. `want` says what the file should be: "a GGUF file". Error: FILE_KIND.
void disguise_refuse(const char *path, Bytes b, const char *want);
