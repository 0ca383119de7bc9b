# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
rawkey tokenizer.ggml.tokens 0900000008000000ffffffffffffff1f
