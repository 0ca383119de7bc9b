// squeeze.h: the form in which texts and the image stand in a package: what has stood before is named, not repeated.
//
// Squeezed bytes are steps until the end. A step is three numbers and bytes: how many bytes follow, those bytes; how many are
// copied then, and from how far back in what was written; the last number is absent where nothing is copied. A copy may
// reach into itself. A number has 7 bits a byte, the low ones first, and bit 7 set where more follow.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// More bytes than this stand as they are; a section that claims more is refused before anything is allocated.
enum { SQUEEZE_MOST = 1 << 28 };

// Writes the `whole` bytes that `from` stands for; false: it stands for no such bytes, and nothing outside `to` was touched.
bool unsqueeze(unsigned char *to, size_t whole, const unsigned char *from, size_t bytes);
