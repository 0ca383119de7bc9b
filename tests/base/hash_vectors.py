#!/usr/bin/env python3
# hash_vectors.py: prints the table of hash.c from the definition in runtime/hash.h, in exact arithmetic. Needs numpy.
from fractions import Fraction

import numpy as np

MASK = (1 << 64) - 1


def mix(x):
    x ^= x >> 31
    x = x * 0x9E3779B97F4A7C15 & MASK
    x ^= x >> 29
    x = x * 0xBF58476D1CE4E5B9 & MASK
    return x ^ x >> 32


def key(seed, name):
    h = 0xCBF29CE484222325
    for c in name.encode():
        h = (h ^ c) * 0x100000001B3 & MASK
    return mix(seed ^ h)


def unit(k, row, col):
    return Fraction(mix(k ^ mix(row << 32 | col)) >> 40, 1 << 23) - 1


def bits(exact):  # of the nearest float32, ties to even
    near = np.float32(float(exact))
    around = [near, np.nextafter(near, np.float32(9)), np.nextafter(near, np.float32(-9))]
    best = min(around, key=lambda f: (abs(Fraction(float(f)) - exact), int(f.view(np.uint32)) & 1))
    return int(best.view(np.uint32))


scale = Fraction(float(np.float32(np.sqrt(3.0 / 2048))))
for seed, name in ((0, ""), (42, "model.embed_tokens.weight"), (MASK, "model.layers.15.self_attn.q_proj.weight")):
    k = key(seed, name)
    for row, col in ((0, 0), (1, 2), (128255, 2047)):
        weight = bits(unit(k, row, col) * scale + scale / 32)
        norm = bits(unit(k, 0, col) / 4 + 1)
        print('    { 0x%xull, "%s", %d, %d, 0x%016xull, 0x%08x, 0x%08x, 0x%08x },'
              % (seed, name, row, col, k, bits(unit(k, row, col)), weight, norm))
