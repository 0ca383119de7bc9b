# load hf
# folder hf
include ../parts/hf.single
at model.norm.weight 100000 100064
zeros 100000
