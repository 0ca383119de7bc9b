# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key tokenizer.ggml.eos_token_id u32 40
