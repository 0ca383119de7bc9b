# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
rawkey general.architecture 0800000006000000000000006c6c616d6100
