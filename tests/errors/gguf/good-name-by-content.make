# load Some_Model(v2).bin
gguf Some_Model(v2).bin
include ../parts/tiny.gguf
