# load hf
# folder hf
include ../parts/hf.config
safetensors hf/consolidated.safetensors
model BF16
