# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key general.alignment u64 9223372036854775808
