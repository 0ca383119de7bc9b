# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key split.count u16 3
key split.no u16 0
