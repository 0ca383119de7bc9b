# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
rawkey general.name 08000000ffffffffffffffff
