# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
patch 24 00fe000000000000
