# load hf
# folder hf
include ../parts/hf.single
header {"a":5}
