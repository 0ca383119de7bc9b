# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.vocab_size u32 41
