# load config.json other.safetensors
# folder hf
file config.json
include ../parts/tiny.config
safetensors other.safetensors
model F16
drop lm_head.weight
