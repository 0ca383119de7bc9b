# load hf
# folder hf
include ../parts/hf.single
header_bytes 18446744073709551615
