# load hf
# folder hf
include ../parts/hf.config
file hf/pytorch_model.bin
hex 504b0304
