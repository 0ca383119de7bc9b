# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.attention.head_count_vk u32 2
