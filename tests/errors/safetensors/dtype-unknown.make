# load hf
# folder hf
include ../parts/hf.single
tensor model.norm.weight Q4 32
