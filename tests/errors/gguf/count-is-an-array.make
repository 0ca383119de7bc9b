# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.attention.head_count arr u32 4 4
