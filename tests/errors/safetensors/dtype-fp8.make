# load hf
# folder hf
include ../parts/hf.single
drop model.layers.0.mlp.up_proj.weight
tensor model.layers.0.mlp.up_proj.weight F8_E4M3 64 32
drop model.layers.0.mlp.gate_proj.weight
tensor model.layers.0.mlp.gate_proj.weight F8_E4M3 64 32
