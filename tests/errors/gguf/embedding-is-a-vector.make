# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
dropkey llama.vocab_size
drop token_embd.weight
tensor token_embd.weight F16 32
