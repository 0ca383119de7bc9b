# load hf
# folder hf
include ../parts/hf.config
