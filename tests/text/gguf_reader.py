# gguf_reader.py: the metadata of a GGUF file.
import struct

SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9


def read(path):
    """Keys and values; texts are decoded as UTF-8."""
    with open(path, "rb") as f:
        data = f.read()
    at = 8

    def take(form):
        nonlocal at
        value = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return value if len(value) > 1 else value[0]

    def text():
        nonlocal at
        n = take("Q")
        at += n
        return data[at - n:at].decode("utf-8", "surrogateescape")

    def value(kind):
        if kind == STRING:
            return text()
        if kind != ARRAY:
            return take(SIZES[kind])
        element, n = take("I"), take("Q")
        if element == STRING:
            return [text() for _ in range(n)]
        return list(take(f"{n}{SIZES[element]}")) if n > 1 else [value(element) for _ in range(n)]

    _, n = take("Q"), take("Q")
    keys = {}
    for _ in range(n):
        key = text()
        keys[key] = value(take("I"))
    return keys
