# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
rawkey tokenizer.ggml.tokens 090000000a0000000000000000000020
