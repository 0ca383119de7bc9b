# load hf
# folder hf
include ../parts/hf.single
tensor model.norm.weight BF16 0 4294967296 4294967296
