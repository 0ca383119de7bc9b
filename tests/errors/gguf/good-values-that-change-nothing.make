# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
key llama.attention.causal bool 1
key llama.expert_count u32 0
key llama.rope.scaling.attn_factor f32 1
key llama.tensor_data_layout str x
dropkey llama.vocab_size
