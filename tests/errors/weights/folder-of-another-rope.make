# load config.json hf
# folder hf
file config.json
include ../parts/tiny.config
include ../parts/hf.single
file hf/config.json
include ../parts/llama3.config
