# load hf
# folder hf
include ../parts/hf.single
twice model.norm.weight
