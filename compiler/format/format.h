// format.h: Format: how numbers of a weight tensor are encoded, in files and in packed streams.
#pragma once
#include <stdint.h>

typedef struct Format {
    const char *name;       // "BF16", as users and plan.json write it
    int block, block_bytes; // values in one block, bytes of one block
    int gguf_type;          // its number in a GGUF tensor directory, -1: none
    const char *safetensors; // its dtype there, NULL: none
    const char *stored;     // name of the format it is packed as: itself, or "BF16" where it is only read
    // `values` (a multiple of block) numbers from `from` to float32, exact.
    void (*unpack)(const void *from, float *to, int64_t values);
    // The inverse, rounding to nearest, ties to even; overflow becomes infinity, which the packer refuses. NULL: only read.
    void (*pack)(const float *from, void *to, int64_t values);
    uint16_t exponent; // of a float in 16 bits: those of its exponent, which a finite number never has all set; 0: another kind
    const char *dot8; // template that multiplies one 16-byte word of it; NULL: not a kernel's format
} Format;

extern const Format format_f32, format_f16, format_bf16, format_q8_0, format_q4_0, format_q4_1, format_q6_k;

// By name (as in Format.name, any case), GGUF type number or safetensors dtype; NULL: not one of ours.
const Format *format_find(const char *name);
const Format *format_of_gguf(int type);
const Format *format_of_safetensors(const char *dtype);

// The name of a GGUF type number whether read here or not ("Q4_K"); NULL: no such type is known.
const char *format_gguf_name(int type);

// Bytes of `values` numbers (a multiple of the block).
int64_t format_bytes(const Format *f, int64_t values);
