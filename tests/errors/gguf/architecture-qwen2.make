# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key general.architecture str qwen2
