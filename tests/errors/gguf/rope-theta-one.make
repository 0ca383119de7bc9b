# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.rope.freq_base f32 1
