# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
rawkey llama.block_count 0d00000002000000
