# load hf
# folder hf
file hf/config.json
include ../parts/tied.config
safetensors hf/model.safetensors
model BF16
drop lm_head.weight
drop model.embed_tokens.weight
tensor lm_head.weight BF16 40 32
tensor model.embed_tokens.weight BF16 40 32
