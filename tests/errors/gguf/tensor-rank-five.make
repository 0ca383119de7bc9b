# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
tensor blk.0.attn_q.weight F16 2 2 2 2 2
