# load hf
# folder hf
include ../parts/hf.single
drop model.layers.0.self_attn.q_proj.weight
tensor model.layers.0.self_attn.q_proj.weight BF16 64 32
drop model.layers.0.self_attn.o_proj.weight
tensor model.layers.0.self_attn.o_proj.weight BF16 32 64
