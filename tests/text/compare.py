# compare.py: ids of llmc's tokenizer against those of the libraries that tokenizers come from: Hugging Face's `tokenizers`,
# SentencePiece, tiktoken. A part of real.py and make.py.
import json
import os
import struct
import subprocess
import tempfile

GPT2 = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
LLAMA3_REGEX = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
                r"|\s*[\r\n]+|\s+(?!\S)|\s+")
SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
CASED = rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+"
CAPITAL = rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*"
DIGITS = {"type": "Digits", "individual_digits": True}


def split(regex, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": behavior, "invert": invert}


def steps(*parts):
    return {"type": "Sequence", "pretokenizers": [split(p) if isinstance(p, str) else p for p in parts] +
            [{**GPT2, "use_regex": False}]}


COMPOSED = ["qwen2", "deepseek-v3"]  # rules tried with the normalizer NFC
RULES = {
    "gpt2": GPT2,
    "llama3": steps(LLAMA3_REGEX),
    "smollm": {"type": "Sequence", "pretokenizers": [DIGITS, GPT2]},
    "qwen2": steps(CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + SPACES),
    "qwen35": steps(CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|" + SPACES),
    "gpt4o": steps(rf"{CASED}{CONTRACTIONS}?|{CAPITAL}{CONTRACTIONS}?|" + r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + SPACES),
    "tekken": steps(rf"{CASED}|{CAPITAL}|" + r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + SPACES),
    "cl100k": steps(r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|"
                    r"\s*[\r\n]|\s+(?!\S)|\s"),
    "deepseek-coder": steps(r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+", DIGITS),
    "deepseek-v3": steps(r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|"
                         r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|" + SPACES),
    "poro": steps(r" ?[^(\s|.,!?…。，、।۔،)]+"),
    "exaone": steps(CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|"
                    r"\s*[\r\n]|\s+(?!\S)|\s+"),
    "kept": steps(split(LLAMA3_REGEX, "Removed", True)),
    "behaviours": steps(split(r"\p{Lu}", "MergedWithNext"), split("[,.]", "MergedWithPrevious"), split("[0-9]", "Contiguous"),
                        split("[xy]z?", "Isolated", True), {"type": "Punctuation", "behavior": "Contiguous"},
                        {"type": "Digits", "individual_digits": False}),
    "lazy": steps(r"[a-z]+?[e-o]|\p{Lu}*?x|a{2,3}?b|\S(?=\s)|\d\D$"),
    "words": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {**GPT2, "use_regex": False}]},
    "prefix": {**GPT2, "add_prefix_space": True},
    "whitespace": steps({"type": "Whitespace"}),
    "bert": steps({"type": "BertPreTokenizer"}),
    "delimiter": steps({"type": "CharDelimiterSplit", "delimiter": "e"}),
}


def normalizers(*names):
    parts = [{"type": n} if isinstance(n, str) else n for n in names]
    return parts[0] if len(parts) == 1 else {"type": "Sequence", "normalizers": parts}


def stripped(left, right):
    return {"type": "Strip", "strip_left": left, "strip_right": right}


def replaced(a, b):
    return {"type": "Replace", "pattern": {"String": a}, "content": b}


BLANKS = replaced(" ", "\u2581")
NORMALIZERS = {
    "NFC": normalizers("NFC"), "NFD": normalizers("NFD"), "NFKC": normalizers("NFKC"), "NFKD": normalizers("NFKD"),
    "Lowercase": normalizers("Lowercase"), "StripAccents": normalizers("StripAccents"), "Nmt": normalizers("Nmt"),
    "Strip left": stripped(True, False), "Strip right": stripped(False, True), "Replace": replaced("e", "xyz"),
    "accents": normalizers("NFD", "StripAccents", "Lowercase"),
    "everything": normalizers(stripped(True, True), "NFKD", stripped(True, True), "Nmt", "Lowercase", replaced("a", "é"), replaced("é", "")),
    "letters": normalizers("NFKC", "Lowercase", stripped(True, True)),
}


def tokenizer_json(vocab, merges, special, rule):
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": vocab[t], "content": t, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for t in special],
        "normalizer": {"type": "NFC"} if rule in COMPOSED else None, "pre_tokenizer": RULES[rule], "post_processor": None,
        "decoder": GPT2,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
                  "ignore_merges": rule == "llama3", "vocab": vocab, "merges": merges},
    }


def code_points():
    """Every code point between letters, digits, blanks and apostrophes."""
    codes = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for form in ("a{0}a1{0}1 {0} ", "'{0} !{0}'s"):
        for i in range(0, len(codes), 256):
            yield "".join(form.format(c) for c in codes[i:i + 256])


def ids_of(tool, source, rows, texts, *flags):
    """What text_ids gives for texts (bytes), or its message."""
    frames = b"".join(struct.pack("<I", len(t)) + t for t in texts)
    run = subprocess.run([tool, source, str(rows), *flags], input=frames, capture_output=True)
    lines = run.stdout.decode().split("\n")[:-1]
    if run.returncode or len(lines) != len(texts):
        return (run.stderr.decode() + run.stdout.decode()[:200]).strip()
    return [[int(i) for i in line.split()] for line in lines]


def compare(name, tool, source, rows, reference, texts, *flags):
    """Returns how many texts differ; says so, and which they are. reference: text to ids, None: not known."""
    got = ids_of(tool, source, rows, [t.encode() for t in texts], *flags)
    if isinstance(got, str):
        print(f"failed: {name}: {got}")
        return len(texts)
    wrong = 0
    for text, ids in zip(texts, got):
        want = reference(text)
        if want is not None and ids != want:
            wrong += 1
            if wrong < 4:
                print(f"failed: {name}: {text!r:.200}\n  wanted {str(want):.200}\n  got    {str(ids):.200}")
    print(f"{name}: {len(texts)} texts, {sum(map(len, got))} ids, {wrong} differ", flush=True)
    return wrong


def compare_normalizers(tool, spec, rows, texts, wanted, done):
    """With each normalizer, and added tokens that are found in the text as it was, as it is then, and as whole words."""
    wrong = 0
    vocab = spec["model"]["vocab"]
    free = 1 + max([*vocab.values()] + [t["id"] for t in spec["added_tokens"]])
    added = []
    for text, single, late in ("the", True, False), ("e\u0301", False, True), ("::", True, True), ("<th", False, False), ("THE", True, True):
        added.append({"id": vocab.get(text, free), "content": text, "single_word": single, "lstrip": False, "rstrip": False,
                      "normalized": late, "special": False})
        free += text not in vocab
    codes = list(code_points())
    for turn, (name, normalizer) in enumerate(NORMALIZERS.items()):
        if wanted("normalizer " + name):
            with_it = {**spec, "normalizer": normalizer, "added_tokens": spec["added_tokens"] + added}
            some = codes if len(texts) >= 10000 else codes[turn::97]
            wrong += compare_json("normalizer " + name, tool, with_it, rows, texts + some)
            done()
    return wrong


def compare_json(name, tool, spec, rows, texts):
    """A tokenizer.json against `tokenizers`: special tokens in a text as text, then as tokens."""
    from tokenizers import Tokenizer
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "tokenizer.json"), "w") as f:
            json.dump(spec, f, ensure_ascii=False)
        reference = Tokenizer.from_str(json.dumps(spec, ensure_ascii=False))
        reference.encode_special_tokens = True
        wrong = compare(name, tool, folder, rows, lambda t: reference.encode(t).ids, texts)
        reference.encode_special_tokens = False
        few = texts[:len(texts) // 4]
        return wrong + compare(name + " (special)", tool, folder, rows, lambda t: reference.encode(t).ids, few, "special")
