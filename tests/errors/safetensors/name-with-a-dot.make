# load .Hidden/config.json
# folder .Hidden
file .Hidden/config.json
include ../parts/tiny.config
