# load hf
# folder hf
include ../parts/hf.single
rename model.norm.weight model.final_norm.weight
