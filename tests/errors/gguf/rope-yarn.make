# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.rope.scaling.type str yarn
