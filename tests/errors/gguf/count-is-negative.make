# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.block_count i32 -2
