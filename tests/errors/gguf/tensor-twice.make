# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
twice blk.0.attn_q.weight
