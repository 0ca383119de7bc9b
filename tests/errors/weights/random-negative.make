# load config.json random:-1
# folder hf
file config.json
include ../parts/tiny.config
