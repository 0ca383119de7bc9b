# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.attention.key_length u32 7
