# load tiny-q8_0.gguf
gguf tiny-q8_0.gguf
include ../parts/tiny-q8_0.gguf
