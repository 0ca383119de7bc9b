# load hf
# folder hf
include ../parts/hf.single
tensor model.layers.2.input_layernorm.weight BF16 32
