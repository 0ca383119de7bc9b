# load model.gguf
file model.gguf
line version https://git-lfs.github.com/spec/v1
line oid sha256:0
