# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
dropkey llama.embedding_length
