# load hf
# folder hf
include ../parts/hf.single
header_bytes 90000000
