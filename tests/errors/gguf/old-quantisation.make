# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key general.quantization_version u32 1
