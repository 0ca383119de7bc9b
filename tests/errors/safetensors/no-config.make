# load hf
# folder hf
safetensors hf/model.safetensors
model BF16
