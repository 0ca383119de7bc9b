# load config.json random:42
# folder hf
file config.json
include ../parts/tiny.config
