# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
at blk.0.attn_q.weight 33
