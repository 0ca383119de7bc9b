# load hf
# folder hf
include ../parts/hf.shards
file hf/model.safetensors
line this is never opened
