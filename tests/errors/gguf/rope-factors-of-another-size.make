# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
tensor rope_freqs.weight F32 8
