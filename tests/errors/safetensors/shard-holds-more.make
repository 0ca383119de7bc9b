# load hf
# folder hf
include ../parts/hf.shards
tensor model.layers.2.mlp.up_proj.weight BF16 64 32
