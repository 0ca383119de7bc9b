# load hf
# folder hf
include ../parts/hf.single
header {"a":{"dtype":"F32","shape":[1]}}
