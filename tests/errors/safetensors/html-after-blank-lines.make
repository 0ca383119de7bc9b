# load hf
# folder hf
include ../parts/hf.config
file hf/model.safetensors
line 
line   <HTML>
