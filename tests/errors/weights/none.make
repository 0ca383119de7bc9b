# load config.json none
# folder hf
file config.json
include ../parts/tiny.config
