# load hf
# folder hf
include ../parts/hf.config
safetensors hf/model.safetensors
model F32
