// library_none.c: what stands in a shared library in place of a package object.
#include "library_package.h"

const unsigned char llmc_package[] = { 0 };
const uint64_t llmc_package_bytes = 0;
