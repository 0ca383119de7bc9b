# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
dropkey general.architecture
