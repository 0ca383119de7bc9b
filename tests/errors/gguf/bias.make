# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
tensor blk.0.attn_q.bias F32 32
