# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
bytes blk.0.attn_q.weight 4096
