# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
tensor blk.0.attn_q.weight Q4_K 32 32
tensor blk.0.attn_k.weight IQ4_NL 32 16
tensor blk.1.attn_k.weight MXFP4 32 16
