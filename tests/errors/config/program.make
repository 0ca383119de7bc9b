# load smol
file smol
hex 7f454c4602010100
