# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.expert_count u32 8
