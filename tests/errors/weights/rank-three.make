# load hf
# folder hf
include ../parts/hf.single
drop model.norm.weight
tensor model.norm.weight BF16 2 4 4
