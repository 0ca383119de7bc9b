# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
patch 32 00
