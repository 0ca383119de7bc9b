# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
rename blk.1.ffn_up.weight blk.01.ffn_up.weight
