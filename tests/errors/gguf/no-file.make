# load model.gguf
