# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
tensor blk.0.attn_q.weight Q4_K 32 32
