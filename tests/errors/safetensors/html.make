# load hf
# folder hf
include ../parts/hf.config
file hf/model.safetensors
line <html><body>not found</body></html>
