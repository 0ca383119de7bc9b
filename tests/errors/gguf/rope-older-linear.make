# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.rope.scale_linear f32 4
