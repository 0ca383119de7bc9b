# load config.json nowhere.safetensors
# folder hf
file config.json
include ../parts/tiny.config
