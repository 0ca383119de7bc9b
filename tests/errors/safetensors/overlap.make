# load hf
# folder hf
include ../parts/hf.single
at model.norm.weight 0 64
