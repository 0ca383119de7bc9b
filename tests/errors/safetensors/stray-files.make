# load hf
# folder hf
include ../parts/hf.single
file hf/consolidated.safetensors
line this is never opened
file hf/adapter_model.safetensors
line nor is this
