# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.rope.scaling.type str none
key llama.rope.scaling.factor f32 4
