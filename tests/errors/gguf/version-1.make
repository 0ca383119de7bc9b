# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
version 1
