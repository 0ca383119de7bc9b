# load tiny.gguf
gguf tiny.gguf
include ../parts/tiny.gguf
tensor rope_freqs.weight F32 4
data rope_freqs.weight 0000803f0000803f0000803f0000803f
key llama.rope.scaling.factor f32 2
