# load models--org--Some-Model/snapshots/0123abcd
# folder models--org--Some-Model
# folder models--org--Some-Model/snapshots
# folder models--org--Some-Model/snapshots/0123abcd
file models--org--Some-Model/snapshots/0123abcd/config.json
include ../parts/tiny.config
