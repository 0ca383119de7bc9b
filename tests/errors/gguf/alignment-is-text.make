# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key general.alignment str 32
