# load model.gguf
file model.gguf
