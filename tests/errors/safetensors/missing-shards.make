# load hf
# folder hf
include ../parts/hf.config
file hf/model.safetensors.index.json
index model.layers.0 model-00001-of-00002.safetensors model-00002-of-00002.safetensors
