# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key mradermacher.quantized_by str someone
key quantize.imatrix.entries_count i32 7
