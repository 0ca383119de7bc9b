# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
dropkey llama.attention.layer_norm_rms_epsilon
