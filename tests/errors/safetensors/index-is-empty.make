# load hf
# folder hf
include ../parts/hf.config
file hf/model.safetensors.index.json
line {"weight_map":{}}
