# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.attention.layer_norm_rms_epsilon str 1e-5
