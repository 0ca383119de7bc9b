# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
tensor blk.0.attn_q.weight 4294967295 32 32
