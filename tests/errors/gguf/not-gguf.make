# load model.gguf
file model.gguf
line hello there, this is a long text file
