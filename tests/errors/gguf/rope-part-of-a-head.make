# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.rope.dimension_count u32 4
