# load hf
# folder hf
include ../parts/hf.config
file hf/model.safetensors
line version https://git-lfs.github.com/spec/v1
line oid sha256:0
line size 269060552
