# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key general.architecture u32 5
