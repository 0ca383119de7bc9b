# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
tensor model.layers.0.mlp.up_proj.weight F16 32 64
