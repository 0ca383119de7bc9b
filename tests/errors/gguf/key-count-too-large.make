# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
n_keys 15
