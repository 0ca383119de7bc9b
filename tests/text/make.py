# make.py: writes the small tokenizers of this folder and the ids that Hugging Face's `tokenizers` gives with them:
#   python3 make.py        (packages tokenizers 0.23.3, sentencepiece 0.2.3, tiktoken 0.14.0)
# gpt2    some bytes without a token, which become one unknown token a run; added tokens that are found in texts
# llama3  BOS, merges as pairs, whole words taken without merging (some of them have no merge any more)
# smollm  some bytes without a token, which are left out; merges as strings; added tokens that take white space with them,
#         or are looked for after the others
# qwen2   the normalizer NFC
# changed  normalizers one after the other: white space, a form of Unicode, accents, capitals; added tokens that are whole words, or
#         looked for as the normalizers make them
# tekken  tokens in base64 by rank, whose merges are all pairs that make one
# unigram  a tokenizer.model: characters rewritten, blanks squeezed, unknown ones
# metaspace  the folder sentencepiece as tokenizer.json
# sentencepiece  a tokenizer.model: BPE by scores, bytes for characters without a token, tokens of the user's
import base64
import json
import os
import random
import re

import corpus
import sentencepiece
import tiktoken
from compare import RULES, normalizers, replaced, stripped, tokenizer_json
from tokenizers import Tokenizer, trainers

HERE = os.path.dirname(os.path.abspath(__file__))
PROSE = """The quick brown fox jumps over the lazy dog, and it doesn't care. Where there's a will there's a way; we'll
see what they've done, and I'm sure you'd agree. In the beginning was the word, and the words were many: some short,
some longer than the others.
int main(void) { for (int i = 0; i < 10; ++i) printf("%d\\n", i); return 0; }
Über den Wolken muss die Freiheit wohl grenzenlos sein. Les élèves français étaient à l'école. El niño comió mañana.
Привет, мир! Как дела? 你好，世界。今天天气很好。こんにちは世界。 مرحبا بالعالم. 안녕하세요 세계.
The number is 1234567890, the year 2024, pi 3.14159.    def f(x):
        return x ** 2
"""


def trained(rule, missing):
    """Vocabulary and merges; tokens 0 and 1 are special."""
    t = Tokenizer.from_str(json.dumps(tokenizer_json({"a": 0}, [], [], rule)))
    alphabet = [letter for byte, letter in sorted(byte_letters().items()) if byte not in missing]
    trainer = trainers.BpeTrainer(vocab_size=560, special_tokens=["<|endoftext|>", "<|start|>"],
                                  initial_alphabet=alphabet, limit_alphabet=len(alphabet), show_progress=False)
    t.train_from_iterator([PROSE, *corpus.PIECES[:120]] * 2, trainer)
    model = json.loads(t.to_str())["model"]
    return model["vocab"], model["merges"]


def byte_letters():
    own = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in own]
    return {**{b: chr(b) for b in own}, **{b: chr(256 + i) for i, b in enumerate(rest)}}


def marks(seed):
    """Letters with marks in any order, and letters of Hangul, apart and together."""
    rng = random.Random(seed)
    pieces = ["e", "é", "a", "\u1ea5", "\u0301", "\u0323", "\u0327", "\u0308", "\u0345", "\u1100", "\u1161", "\u11a8", "가", "각", "\u11a7",
              "\u0b47", "\u0b3e", "\u2126", "\u0344", "\u0958", "\U0001d15e", "\u0f71\u0f72", " ", "x"]
    for _ in range(120):
        yield "".join(rng.choice(pieces) for _ in range(rng.randrange(1, 9)))
    yield "a" + "".join(rng.choice(["\u0301", "\u0323", "\u0327", "\u0345"]) for _ in range(60))  # a long run is sorted otherwise


def write(rule, spec, seed, more=()):
    folder = os.path.join(HERE, rule)
    os.makedirs(folder, exist_ok=True)
    text = json.dumps(spec, ensure_ascii=False, indent=1)
    text = re.sub(r'\[\s+("(?:[^"\\]|\\.)*"),\s+("(?:[^"\\]|\\.)*")\s+\]', r"[\1, \2]", text)  # a pair a line
    path = os.path.join(folder, "tokenizer.json")
    with open(path, "w") as f:
        f.write(text + "\n")
    reference = Tokenizer.from_file(path)
    reference.encode_special_tokens = True
    texts = [t for t in corpus.texts(340, seed) if len(t) < 200] + list(more)
    write_cases(folder, "ids.json", [{"text": t, "ids": reference.encode(t).ids} for t in texts])
    reference.encode_special_tokens = False
    write_cases(folder, "special.json", [{"text": t, "ids": reference.encode(t).ids} for t in special_texts(seed)])
    write_cases(folder, "decoded.json", [{"ids": ids, "text": text} for ids, text in decoded(reference, seed)])


def special_texts(seed):
    """Texts full of what special and added tokens look like."""
    rng = random.Random(seed)
    pieces = ["<|endoftext|>", "<|start|>", "<think>", "</think>", "<th", "::", "<|end", "<", "user", "\n", " ", "  ", "\u3000", "1", "é"]
    for _ in range(80):
        text = "".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12)))
        if not text.startswith("<|start|>"):  # Hugging Face would put BOS there a second time
            yield text


def decoded(reference, seed):
    """Random ids, mostly of single bytes over 127, so that sequences of UTF-8 break off; no zero byte: JSON has none."""
    rng = random.Random(seed)
    n = reference.get_vocab_size()
    high = [reference.token_to_id(letter) for byte, letter in byte_letters().items() if byte > 127]
    high = [i for i in high if i is not None]
    for _ in range(80):
        ids = [rng.choice(high) if rng.random() < 0.8 else rng.randrange(n) for _ in range(rng.randrange(1, 12))]
        text = reference.decode(ids, skip_special_tokens=False)
        if "\0" not in text:
            yield ids, text


def add_tokens(spec, contents):
    vocab = spec["model"]["vocab"]
    fresh = len(vocab)
    for content in contents:
        spec["added_tokens"].append({"id": vocab.get(content, fresh), "content": content, "single_word": False,
                                     "lstrip": False, "rstrip": False, "normalized": False,
                                     "special": content == "<|start|><"})
        fresh += content not in vocab


def sentencepiece_ids(model, text):
    """What stands between control symbols, each part by itself, as a program does it with special tokens."""
    ids = []
    for part in re.split(r"(\[INST\]|</s>)", text):
        ids += [model.PieceToId(part)] if part in ("[INST]", "</s>") else model.EncodeAsIds(part)
    return ids


def write_sentencepiece(name, seed, **options):
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)
    path = name + "/tokenizer"  # the model keeps it
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter((PROSE + "\n".join(corpus.PIECES[:120])).split("\n")), model_prefix=path,
        split_digits=True, user_defined_symbols=["<think>", "\u2581\u2581\u2581"], control_symbols=["[INST]"],
        num_threads=1, minloglevel=2, **options)
    os.remove(path + ".vocab")
    model = sentencepiece.SentencePieceProcessor()
    model.Load(path + ".model")
    texts = [t for t in corpus.texts(340, seed) if len(t) < 200] + [" ", "   ", "\u2581a", " a", "a\u2581\u2581\u2581b"]
    write_cases(folder, "ids.json", [{"text": t, "ids": [1] + model.EncodeAsIds(t)} for t in texts])
    pieces = ["[INST]", "</s>", "<think>", "[INST", " ", "  ", "\u2581", "user", "\n", "1", "é", "中", "ﬁ", "e\u0301"]
    rng = random.Random(seed)
    texts = ["".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12))) for _ in range(80)]
    write_cases(folder, "special.json", [{"text": t, "ids": [1] + sentencepiece_ids(model, t)} for t in texts])
    cases = []
    for _ in range(80):
        ids = [rng.randrange(7, model.GetPieceSize()) for _ in range(rng.randrange(1, 12))]  # no byte 0: JSON has none
        data = b"".join(bytes([int(piece[3:5], 16)]) if model.IsByte(i) else piece.replace("\u2581", " ").encode()
                        for i, piece in ((i, model.IdToPiece(i)) for i in ids))
        cases.append({"ids": ids, "text": data.decode("utf-8", "replace")})
    write_cases(folder, "decoded.json", cases)


def metaspace_json():
    """The folder `sentencepiece` as Hugging Face writes such models."""
    model = sentencepiece.SentencePieceProcessor()
    model.Load(os.path.join(HERE, "sentencepiece", "tokenizer.model"))
    pieces = [model.IdToPiece(i) for i in range(model.GetPieceSize())]
    vocab = {p: i for i, p in enumerate(pieces)}
    pairs = [(-model.GetScore(i), vocab[p[:k]], vocab[p[k:]], [p[:k], p[k:]]) for i, p in enumerate(pieces) if i > 261
             for k in range(1, len(p)) if p[:k] in vocab and p[k:] in vocab]
    spec = tokenizer_json(vocab, [p[3] for p in sorted(pairs, key=lambda p: p[:3])], pieces[:4], "gpt2")
    spec["added_tokens"].append({**spec["added_tokens"][0], "id": 4, "content": "<think>", "special": False, "normalized": True})
    spec["model"].update(unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    spec["pre_tokenizer"] = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": False}
    spec["decoder"] = {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
    return spec


def write_tekken(merges):
    folder = os.path.join(HERE, "tekken")
    os.makedirs(folder, exist_ok=True)
    bytes_of = {letter: bytes([byte]) for byte, letter in byte_letters().items()}
    tokens = [bytes([b]) for b in range(256)]
    tokens += list(dict.fromkeys(b"".join(bytes_of[c] for c in left + right) for left, right in merges))[:300]
    special = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]"]
    spec = {"config": {"pattern": RULES["tekken"]["pretokenizers"][0]["pattern"]["Regex"], "num_vocab_tokens": len(tokens),
                       "default_vocab_size": len(tokens) + 8, "default_num_special_tokens": 8, "version": "v11"},
            "vocab": [{"rank": i, "token_bytes": base64.b64encode(t).decode(), "token_str": t.decode("utf-8", "replace")}
                      for i, t in enumerate(tokens)],
            "special_tokens": [{"rank": i, "token_str": t, "is_control": True} for i, t in enumerate(special)]}
    with open(os.path.join(folder, "tekken.json"), "w") as f:
        f.write(json.dumps(spec).replace("}, {", "},\n{") + "\n")
    model = tiktoken.Encoding("tekken", pat_str=spec["config"]["pattern"], special_tokens={},
                              mergeable_ranks={t: i for i, t in enumerate(tokens)})

    def ids(text):
        out = [1]
        for part in re.split(r"(\[INST\]|</s>)", text):
            out += [special.index(part)] if part in special else [8 + i for i in model.encode_ordinary(part)]
        return out

    texts = [t for t in corpus.texts(340, 15) if len(t) < 200]
    write_cases(folder, "ids.json", [{"text": t, "ids": [1] + [8 + i for i in model.encode_ordinary(t)]} for t in texts])
    pieces = ["[INST]", "</s>", "[INST", " ", "  ", "user", "\n", "1", "é", "中", "aB", "ABc", "'s"]
    rng = random.Random(15)
    texts = ["".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12))) for _ in range(80)]
    write_cases(folder, "special.json", [{"text": t, "ids": ids(t)} for t in texts])
    cases = []
    for _ in range(80):
        some = [rng.randrange(1, len(tokens)) for _ in range(rng.randrange(1, 12))]
        text = b"".join(tokens[i] for i in some).decode("utf-8", "replace")
        cases.append({"ids": [8 + i for i in some], "text": text})
    write_cases(folder, "decoded.json", cases)


def write_cases(folder, name, cases):
    with open(os.path.join(folder, name), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases) + "\n]\n")


def main():
    os.chdir(HERE)
    missing = [0x04, 0x06, 0x13, 0xC0, 0xC1, 0xF1, 0xF2, *range(0xF5, 0x100)]

    vocab, merges = trained("gpt2", missing)
    spec = tokenizer_json(vocab, [" ".join(m) for m in merges], ["<|endoftext|>", "<|start|>"], "gpt2")
    spec["model"].update(unk_token="<|endoftext|>", fuse_unk=True)
    add_tokens(spec, ["<think>", "</think>", "<th", "::", "é ", "<|start|><"])
    spec["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}
    write("gpt2", spec, 11)

    vocab, merges = trained("llama3", [])
    words = [m for m in merges if len("".join(m)) > 3][:12]
    spec = tokenizer_json(vocab, [m for m in merges if m not in words], ["<|endoftext|>", "<|start|>"], "llama3")
    spec["post_processor"] = {"type": "Sequence", "processors": [
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
        {"type": "TemplateProcessing",
         "single": [{"SpecialToken": {"id": "<|start|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
         "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
         "special_tokens": {"<|start|>": {"id": "<|start|>", "ids": [1], "tokens": ["<|start|>"]}}}]}
    write("llama3", spec, 12)
    write_tekken(merges)

    vocab, merges = trained("smollm", missing)
    spec = tokenizer_json(vocab, [" ".join(m) for m in merges], ["<|endoftext|>", "<|start|>"], "smollm")
    add_tokens(spec, ["<think>", "</think>", "::", "<|start|><"])
    added = {t["content"]: t for t in spec["added_tokens"]}
    added["::"]["normalized"] = added["<|start|><"]["rstrip"] = added["<|endoftext|>"]["lstrip"] = True
    added["</think>"].update(lstrip=True, rstrip=True)
    write("smollm", spec, 13)

    vocab, merges = trained("qwen2", [])
    write("qwen2", tokenizer_json(vocab, merges, ["<|endoftext|>", "<|start|>"], "qwen2"), 17, marks(17))
    vocab, merges = trained("gpt2", [])
    spec = tokenizer_json(vocab, merges, ["<|endoftext|>", "<|start|>"], "gpt2")
    spec["normalizer"] = normalizers(stripped(True, True), "NFKD", stripped(False, True), "StripAccents", "Lowercase", replaced("ß", "ss"))
    add_tokens(spec, ["<think>", "</think>", "::", "CAF\u00c9", "don"])
    added = {t["content"]: t for t in spec["added_tokens"]}
    added["CAF\u00c9"]["normalized"] = added["</think>"]["normalized"] = added["don"]["single_word"] = added["::"]["single_word"] = True
    write("changed", spec, 19, marks(19))
    write_sentencepiece("sentencepiece", 14, model_type="bpe", vocab_size=600, byte_fallback=True,
                        normalization_rule_name="identity", remove_extra_whitespaces=False, character_coverage=0.99,
                        allow_whitespace_only_pieces=True)
    with open("rules.tsv", "w") as f:  # code points and what stands for them; the model keeps the file's name
        f.write("FB01\t66 69\nFB06\t73 74\n65 301\tE9\n3000\t20\nA0\t20\n9\t20\n200B\t\nBD\t31 2044 32\nDF\t73 73 20\n")
    write_sentencepiece("unigram", 16, model_type="unigram", vocab_size=320, normalization_rule_tsv="rules.tsv")
    os.remove("rules.tsv")
    write("metaspace", metaspace_json(), 18, ["\u2581a", " a", "a\u2581\u2581 b", " ", ""])


if __name__ == "__main__":
    main()