# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
drop token_embd.weight
