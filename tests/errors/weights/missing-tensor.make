# load hf
# folder hf
include ../parts/hf.single
drop model.layers.1.mlp.down_proj.weight
