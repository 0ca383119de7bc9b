# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
at blk.0.attn_q.weight 9223372036854775776
