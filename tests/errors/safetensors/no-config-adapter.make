# load hf
# folder hf
file hf/adapter_config.json
line {}
file hf/adapter_model.safetensors
line x
