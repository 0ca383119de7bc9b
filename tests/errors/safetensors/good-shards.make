# load hf
# folder hf
include ../parts/hf.shards
