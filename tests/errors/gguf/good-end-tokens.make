# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key tokenizer.ggml.eot_token_id u32 5
key tokenizer.ggml.eom_token_id u32 6
