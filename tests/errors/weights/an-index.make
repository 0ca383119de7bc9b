# load config.json hf/model.safetensors.index.json
# folder hf
file config.json
include ../parts/tiny.config
include ../parts/hf.shards
