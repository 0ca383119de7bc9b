# load smol.llmw
file smol.llmw
hex 4c4c4d43575453000100000000000000
