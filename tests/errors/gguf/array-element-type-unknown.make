# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
rawkey tokenizer.ggml.tokens 09000000630000000100000000000000
