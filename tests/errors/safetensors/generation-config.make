# load hf
# folder hf
include ../parts/hf.single
file hf/generation_config.json
line {"eos_token_id": [2, 7, 9], "temperature": 0.6, "do_sample": true}
