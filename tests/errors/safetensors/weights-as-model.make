# load model.safetensors
safetensors model.safetensors
model BF16
