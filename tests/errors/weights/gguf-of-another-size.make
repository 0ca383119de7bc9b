# load config.json tiny.gguf
# folder hf
file config.json
include ../parts/tiny.config
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.feed_forward_length u32 128
