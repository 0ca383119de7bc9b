# load config.json tiny.gguf
# folder hf
file config.json
include ../parts/tiny.config
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.attention.head_count u32 8
key llama.attention.key_length u32 8
