# load model.bin
file model.bin
hex 746a676703000000
