# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
drop blk.0.attn_q.weight
tensor blk.0.attn_q.weight F16 32 30
