# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.rope.scaling.factor f32 0.5
