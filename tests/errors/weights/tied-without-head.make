# load hf
# folder hf
file hf/config.json
include ../parts/tied.config
safetensors hf/model.safetensors
model BF16
drop lm_head.weight
