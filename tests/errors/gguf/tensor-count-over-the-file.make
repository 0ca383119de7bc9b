# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
n_tensors 100000
