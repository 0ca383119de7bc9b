# load hf
# folder hf
include ../parts/hf.single
header {"a":{"dtype":"F32","shape":[2],"data_offsets":[-5,3]}}
