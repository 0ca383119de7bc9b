# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
drop output.weight
