# load hf
# folder hf
include ../parts/hf.shards
model BF16 only model.layers.0.mlp
