# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key general.alignment u32 4096
