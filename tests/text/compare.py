# compare.py: ids of llmc's tokenizer against Hugging Face's, on texts of corpus.py and on every code point. By hand:
#   python3 compare.py BUILD/tests/text/text_ids TOKENIZER [N] [SEED]
# TOKENIZER: a folder with tokenizer.json (compared as it is), or a GGUF file of kind "gpt2": its vocabulary is then
# tried with each of the three rules, and the file itself with its own rule.
# Needs the packages `tokenizers` and, for GGUF, `gguf`.
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

import corpus
from tokenizers import Tokenizer

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


def compare(name, ids, source, rows, reference, texts):
    reference.encode_special_tokens = True  # special tokens in a text are text
    frames = b"".join(struct.pack("<I", len(t.encode())) + t.encode() for t in texts)
    start = time.time()
    run = subprocess.run([ids, source, str(rows)], input=frames, capture_output=True)
    seconds = time.time() - start
    if run.returncode:
        sys.exit(f"{name}: ids failed: {run.stderr.decode()}")
    lines = run.stdout.decode().split("\n")[:-1]
    if len(lines) != len(texts):
        sys.exit(f"{name}: {len(lines)} answers to {len(texts)} texts")
    wrong = 0
    for text, line, want in zip(texts, lines, reference.encode_batch(texts)):
        if [int(i) for i in line.split()] != want.ids:
            wrong += 1
            if wrong < 6:
                print(f"{name}: {text!r:.200}\n  wanted {str(want.ids):.200}\n  got    {line:.200}")
    print(f"{name}: {len(texts)} texts, {len(frames)} bytes, {wrong} differ, llmc took {seconds:.2f} s")
    return wrong


def main():
    ids, source = sys.argv[1:3]
    n, seed = [int(x) for x in sys.argv[3:5]] + [20000, 1][len(sys.argv) - 3:]
    texts = list(corpus.texts(n, seed)) + list(code_points())
    if os.path.isdir(source):
        reference = Tokenizer.from_file(os.path.join(source, "tokenizer.json"))
        return compare(source, ids, source, 1 << 24, reference, texts)
    from gguf import GGUFReader
    fields = GGUFReader(source).fields
    tokens, types, merges, own = [fields["tokenizer.ggml." + k].contents()
                                  for k in ("tokens", "token_type", "merges", "pre")]
    vocab = {t: i for i, t in enumerate(tokens)}
    special = [t for t, kind in zip(tokens, types) if kind == 3]
    wrong = 0
    for rule in RULES:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tokenizer.json")
            with open(path, "w") as f:
                json.dump(tokenizer_json(vocab, merges, special, rule), f, ensure_ascii=False)
            reference = Tokenizer.from_file(path)
            wrong += compare(rule, ids, folder, len(tokens), reference, texts)
            if own.replace("-", "") == rule or (rule == "llama3" and own == "llama-bpe"):
                wrong += compare(f"{source} ({own})", ids, source, len(tokens), reference, texts)
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
