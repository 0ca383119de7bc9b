# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
rawkey tokenizer.ggml.tokens 090000000900000001000000000000000400000000000000
