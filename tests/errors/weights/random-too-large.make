# load config.json random:18446744073709551616
# folder hf
file config.json
include ../parts/tiny.config
