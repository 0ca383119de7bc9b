# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.attention.head_count u32 6
