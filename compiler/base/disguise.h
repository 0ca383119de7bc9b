// disguise.h: files that are not what their name says.
#pragma once
#include "file.h"
#include "json.h"

// Refuses what downloads leave in a file's place: nothing, a Git LFS pointer, an HTML page, a pickled or zipped
// checkpoint; and programs and weights of llmc. `want` says what the file should be: "a GGUF file". Error: FILE_KIND.
void disguise_refuse(const char *path, Bytes b, const char *want);

// Refuses a JSON document that is, by its keys, of another kind than `want`: "a config.json", "the description of a GPU",
// "a plan of llmc". Error: FILE_KIND, with the place where such a file goes.
void disguise_refuse_json(Json root, const char *want);
