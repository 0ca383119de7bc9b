# load config.json random:
# folder hf
file config.json
include ../parts/tiny.config
