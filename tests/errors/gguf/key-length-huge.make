# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
patch 24 ffffffffffffff7f
