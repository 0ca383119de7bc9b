# load hf
# folder hf
include ../parts/hf.single
drop lm_head.weight
