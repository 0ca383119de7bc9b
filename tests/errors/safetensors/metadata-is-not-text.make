# load hf
# folder hf
include ../parts/hf.single
header {"__metadata__":{"format":1}}
