# load hf
# folder hf
include ../parts/hf.config
file hf/model-00001-of-00002.safetensors
line x
