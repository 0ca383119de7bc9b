# load hf
# folder hf
include ../parts/hf.single
cut 7
