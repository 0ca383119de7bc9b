# load hf
# folder hf
include ../parts/hf.single
header [1,2,3]
