# load model.gguf
file model.gguf
hex 6c6d6767007d0000
