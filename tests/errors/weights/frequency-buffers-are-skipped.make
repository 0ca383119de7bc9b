# load hf
# folder hf
include ../parts/hf.single
tensor model.layers.0.self_attn.rotary_emb.inv_freq F32 4
