# load hf
# folder hf
include ../parts/hf.single
at model.norm.weight 1000000000 1000000064
