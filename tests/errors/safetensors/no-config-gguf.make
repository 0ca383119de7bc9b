# load hf
# folder hf
file hf/tiny-Q8_0.gguf
line x
