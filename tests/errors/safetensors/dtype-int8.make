# load hf
# folder hf
include ../parts/hf.single
drop lm_head.weight
tensor lm_head.weight I8 40 32
