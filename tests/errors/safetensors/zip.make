# load hf
# folder hf
include ../parts/hf.config
file hf/model.safetensors
hex 504b03041400000000
