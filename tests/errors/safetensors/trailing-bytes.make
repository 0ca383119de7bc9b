# load hf
# folder hf
include ../parts/hf.single
zeros 3
