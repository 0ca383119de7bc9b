# load hf
# folder hf
include ../parts/hf.shards
drop model.norm.weight
