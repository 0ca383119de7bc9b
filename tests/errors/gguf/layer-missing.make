# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
drop blk.1.ffn_up.weight
