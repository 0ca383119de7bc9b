// library_package.h: the package in libNAME.a, an object file of its own; a libNAME.so has its package at the end of its file.
#pragma once
#include <stdint.h>

extern const unsigned char llmc_package[] __attribute__((visibility("hidden")));
extern const uint64_t llmc_package_bytes __attribute__((visibility("hidden"))); // 0: in a shared library
