# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
rawkey llama.attention.causal 0700000002
