#!/usr/bin/env python3
# golden.py: writes golden.txt: blocks of random bytes in GGUF's block formats and what the `gguf` package makes of them.
# One line a case: format, the block in hex, the float32 values in hex, little-endian. Needs: pip install gguf numpy.
import os

import gguf
import numpy as np

SCALES = [0x3c00, 0xbc00, 0x0001, 0x83ff, 0x7bff, 0x2e66]  # 1, -1, subnormals, the largest, about 0.1
AT = {"Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q6_K": [208]}  # where a block's F16 numbers lie

rng = np.random.default_rng(20240607)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.txt"), "w") as out:
    for name, places in AT.items():
        kind = gguf.GGMLQuantizationType[name]
        for case in range(6 if name != "Q6_K" else 4):
            block = rng.integers(0, 256, gguf.GGML_QUANT_SIZES[kind][1], dtype=np.uint8)
            for i, place in enumerate(places):
                scale = SCALES[(case + i) % len(SCALES)]
                block[place], block[place + 1] = scale & 255, scale >> 8
            with np.errstate(over="ignore"):
                values = gguf.dequantize(block.reshape(1, -1), kind).reshape(-1)
            print(name, block.tobytes().hex(), values.astype("<f4").tobytes().hex(), file=out)
