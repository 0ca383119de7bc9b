# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.attention.sliding_window u32 4096
