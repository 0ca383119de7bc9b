# load model.gguf
file model.gguf
line <!DOCTYPE html>
line <html>
