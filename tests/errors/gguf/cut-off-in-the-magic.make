# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
cut 3
