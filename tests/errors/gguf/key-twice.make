# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
twicekey llama.block_count
