# load hf
# folder hf
include ../parts/hf.single
tensor model.layers.0.self_attn.q_proj.bias BF16 32
