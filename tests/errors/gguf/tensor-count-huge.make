# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
n_tensors 1152921504606846976
