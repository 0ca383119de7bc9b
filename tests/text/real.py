# real.py: ids of real tokenizers against the libraries that they come from:
#   python3 real.py TEXT_IDS CACHE COUNT [WORD]..
# CACHE: the folder that real.sh fills. COUNT: texts a tokenizer, made by corpus.py, and a
# fifth of that from files of the packages. WORDs: only tokenizers whose names
# have one. Needs `tokenizers`, `sentencepiece` and `tiktoken`.
import base64
import glob
import json
import os
import random
import struct
import sys
import tempfile
import unicodedata

import corpus
import gguf_reader
from compare import RULES, code_points, compare, compare_json, compare_normalizers, ids_of, tokenizer_json

BLANK = "\u2581"
LLAMA_CPP = "llama_cpp_python-0.3.36/vendor/llama.cpp/models/"
# The rule of each vocabulary file; blanks: no rule, but U+2581 for every blank; None: SentencePiece, or known ids alone.
RULE_OF = {"llama-bpe": "llama3", "gpt-2": "gpt2", "mpt": "gpt2", "qwen2": "qwen2", "qwen35": "qwen35", "starcoder": "smollm",
           "refact": "smollm", "command-r": "smollm", "deepseek-coder": "deepseek-coder", "falcon": None,
           "deepseek-llm": None, "gemma-4": "blanks", "llama-spm": None, "phi-3": None}
COMPOSED = ["qwen2", "command-r", "mpt"]  # whose tokenizer.json has NFC


def sentencepiece_of(path):
    import sentencepiece
    model = sentencepiece.SentencePieceProcessor()
    model.Load(path)
    return model


def sentencepiece_models(run, cache):
    for path in sorted(glob.glob(cache + "/mistral_common/data/*model.v*")):
        model = sentencepiece_of(path)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(path, folder + "/tokenizer.model")
            run("sentencepiece " + path.rsplit(".", 1)[1], folder, 40000, model.EncodeAsIds, "no-bos")


def tiktoken_of(ranks, pattern):
    import tiktoken
    return tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def tiktoken_models(run, cache):
    def regex(rule):
        return RULES[rule]["pretokenizers"][0]["pattern"]["Regex"]

    for name, path, rule, compose in [("llama3", "llama_models/llama3/tokenizer.model", "llama3", False),
                                      ("llama4", "llama_models/llama4/tokenizer.model", "gpt4o", False),
                                      ("qwen", "dashscope/resources/qwen.tiktoken", "qwen2", True)]:
        with open(f"{cache}/{path}", "rb") as f:
            ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in f if line.strip()}
        model = tiktoken_of(ranks, regex(rule))
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(f"{cache}/{path}", folder + "/" + os.path.basename(path))
            run("tiktoken " + name, folder, 210000,
                lambda t: model.encode_ordinary(unicodedata.normalize("NFC", t) if compose else t), "no-bos")
    for path in sorted(glob.glob(cache + "/mistral_common/data/tekken_*.json")):
        with open(path) as f:
            spec = json.load(f)
        special = spec["config"]["default_num_special_tokens"]
        vocab = spec["vocab"][:spec["config"]["default_vocab_size"] - special]
        model = tiktoken_of({base64.b64decode(t["token_bytes"]): t["rank"] for t in vocab}, spec["config"]["pattern"])
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(path, folder + "/tekken.json")
            run(os.path.basename(path), folder, 140000, lambda t: [special + i for i in model.encode_ordinary(t)], "no-bos")


def expected_ids(tool, path):
    """The strings and ids that llama.cpp keeps beside a vocabulary; how many differ."""
    with open(path + ".inp", "rb") as f:
        texts = f.read().split(b"\n__ggml_vocab_test__\n")
    with open(path + ".out") as f:
        want = [[int(i) for i in line.split()] for line in f.read().split("\n")]
    got = ids_of(tool, path, 300000, texts, "no-bos")
    wrong = [t for t, g, w in zip(texts, got, want) if g != w] if isinstance(got, list) else [got]
    name = os.path.basename(path)
    print(f"{name}: {len(texts)} strings with known ids, {len(wrong)} differ{': ' + repr(wrong[0])[:200] if wrong else ''}")
    return len(wrong)


def proto(tokens, types, scores):
    """A ModelProto of SentencePiece's BPE with these pieces."""
    def field(number, kind, data):
        return bytes([number << 3 | kind]) + data

    def varint(n):
        return bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])

    def message(number, data):
        return field(number, 2, varint(len(data)) + data)

    pieces = b"".join(message(1, message(1, t.encode()) + field(2, 5, struct.pack("<f", s)) + field(3, 0, varint(k)))
                      for t, k, s in zip(tokens, types, scores))
    trainer = field(3, 0, varint(2)) + bytes([35 << 3 & 127 | 128, 35 >> 4]) + varint(1)
    normalizer = message(1, b"identity") + field(3, 0, varint(1)) + field(4, 0, varint(0)) + field(5, 0, varint(1))
    return pieces + message(2, trainer) + message(3, normalizer)


def vocabulary_files(run, cache, tool, words):
    wrong = 0
    for path in sorted(glob.glob(cache + "/" + LLAMA_CPP + "ggml-vocab-*.gguf")):
        name = os.path.basename(path)[len("ggml-vocab-"):-len(".gguf")]
        if name not in RULE_OF or (words and not any(w in "gguf " + name for w in words)):
            continue
        wrong += expected_ids(tool, path)
        keys = gguf_reader.read(path)
        tokens, types = [keys["tokenizer.ggml." + k] for k in ("tokens", "token_type")]
        if keys["tokenizer.ggml.model"] == "llama":
            # Of several unknown tokens one must be left; tokens of the user's are looked for by another rule there, so texts
            # that have one are left out.
            users = [t for t, k in zip(tokens, types) if k == 4]
            kinds = [3 if k == 2 and i or k == 4 else k for i, k in enumerate(types)]
            kinds[0] = 2
            with tempfile.NamedTemporaryFile() as f:
                f.write(proto(tokens, kinds, keys["tokenizer.ggml.scores"]))
                f.flush()
                model = sentencepiece_of(f.name)
            run("gguf " + name, path, len(tokens), lambda t: None if any(u in t for u in users) else model.EncodeAsIds(t), "no-bos")
        elif RULE_OF[name]:
            from tokenizers import Tokenizer
            end = max(i for i, k in enumerate(types) if k == 1) + 1  # what is behind was added
            spec = tokenizer_json({t: i for i, t in enumerate(tokens[:end])}, keys["tokenizer.ggml.merges"], [],
                                  "gpt2" if RULE_OF[name] == "blanks" else RULE_OF[name])
            spec["added_tokens"] = [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False,
                                     "normalized": False, "special": k == 3}
                                    for i, (t, k) in enumerate(zip(tokens, types)) if k in (3, 4)]
            spec["normalizer"] = {"type": "NFC"} if name in COMPOSED else None
            if RULE_OF[name] == "blanks":
                spec.update(normalizer={"type": "Replace", "pattern": {"String": " "}, "content": BLANK}, pre_tokenizer=None)
                spec["model"].update(unk_token="<unk>", fuse_unk=True, byte_fallback=True)
            reference = Tokenizer.from_str(json.dumps(spec, ensure_ascii=False))
            reference.encode_special_tokens = True
            run("gguf " + name, path, len(tokens), lambda t: reference.encode(t).ids, "no-bos")
    return wrong


def sentencepiece_json(cache):
    """A tokenizer.json with the vocabulary of Mistral's first model, in the ways that Hugging Face writes such models."""
    model = sentencepiece_of(cache + "/mistral_common/data/tokenizer.model.v1")
    n = model.GetPieceSize()
    tokens = [model.IdToPiece(i) for i in range(n)]
    vocab = {t: i for i, t in enumerate(tokens)}
    merges = []
    for i in range(n):
        if not (model.IsByte(i) or model.IsControl(i) or model.IsUnknown(i)):
            pairs = [(tokens[i][:k], tokens[i][k:]) for k in range(1, len(tokens[i]))]
            merges += [(-model.GetScore(i), vocab[a], vocab[b], [a, b]) for a, b in pairs if a in vocab and b in vocab]
    merges.sort(key=lambda m: m[:3])
    spec = tokenizer_json(vocab, [m[3] for m in merges], tokens[:3], "gpt2")
    spec["model"].update(unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    spec["decoder"] = {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": BLANK}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
    spec["added_tokens"].append({**spec["added_tokens"][0], "id": n, "content": "<think>", "special": False, "normalized": True})
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": BLANK}
    prepend = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": BLANK}, replace]}
    ways = {"prepend": (prepend, None), "replace": (replace, {"type": "Split", "pattern": {"String": " "}, "invert": False,
                                                              "behavior": "MergedWithPrevious"})}
    for scheme in ("first", "always", "never"):
        for split in (False, True):
            ways[f"metaspace {scheme}{' split' if split else ''}"] = (
                None, {"type": "Metaspace", "replacement": BLANK, "prepend_scheme": scheme, "split": split})
    for way, (normalizer, pre) in ways.items():
        yield way, {**spec, "normalizer": normalizer, "pre_tokenizer": pre}


def unigram_json(cache):
    """The vocabulary of XLM-R, which a GGUF file has, as Hugging Face would write it; without rewriting of characters."""
    keys = gguf_reader.read(f"{cache}/{LLAMA_CPP}ggml-vocab-nomic-bert-moe.gguf")
    tokens, scores, types = [keys["tokenizer.ggml." + k] for k in ("tokens", "scores", "token_type")]
    # A special token has no text that corpus.py makes: Hugging Face would find it in the text as a piece.
    pieces = [[f"<special {i}>" if k != 1 else t, s] for i, (t, s, k) in enumerate(zip(tokens, scores, types))]
    spec = tokenizer_json({}, [], [], "gpt2")
    spec["added_tokens"] = [{"id": i, "content": pieces[i][0], "single_word": False, "lstrip": False, "rstrip": False,
                             "normalized": False, "special": True} for i, k in enumerate(types) if k != 1]
    spec["model"] = {"type": "Unigram", "unk_id": 3, "byte_fallback": False, "vocab": pieces}
    spec["decoder"] = {"type": "Metaspace", "replacement": BLANK, "prepend_scheme": "always", "split": True}
    for split in (False, True):
        yield "split" if split else "whole", {**spec, "pre_tokenizer": {**spec["decoder"], "split": split}}


def natural(cache, count):
    """Some lines in a row of the documents and programs that came with the packages."""
    rng = random.Random(22)
    lines = []
    for kind in ("md", "py"):
        for path in sorted(glob.glob(f"{cache}/*/**/*.{kind}", recursive=True)):
            with open(path, encoding="utf-8") as f:
                lines += f.readlines()
    for _ in range(count):
        at = rng.randrange(len(lines))
        yield "".join(lines[at:at + rng.randrange(1, 12)])


def main():
    tool, cache, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    words, wrong, done = sys.argv[4:], 0, 0
    texts = list(corpus.texts(count, 21)) + list(natural(cache, count // 5))

    def wanted(name):
        return not words or any(w in name for w in words)

    def run(name, source, rows, reference, *flags):
        nonlocal wrong, done
        if wanted(name):
            wrong += compare(name, tool, source, rows, reference, texts, *flags)
            done += 1

    sentencepiece_models(run, cache)
    tiktoken_models(run, cache)
    known = vocabulary_files(run, cache, tool, words)  # which counts into `wrong` too
    wrong += known
    for way, spec in sentencepiece_json(cache):
        if wanted("json " + way):
            wrong += compare_json("json " + way, tool, spec, 40000, texts)
            done += 1
    for way, spec in unigram_json(cache):
        if wanted("json unigram " + way):
            wrong += compare_json("json unigram " + way, tool, spec, 260000, texts)
            done += 1
    keys = gguf_reader.read(f"{cache}/{LLAMA_CPP}ggml-vocab-llama-bpe.gguf")
    tokens, types = [keys["tokenizer.ggml." + k] for k in ("tokens", "token_type")]
    special = [t for t, k in zip(tokens, types) if k == 3]
    codes = list(code_points())
    for turn, rule in enumerate(RULES):
        if wanted("rule " + rule):
            spec = tokenizer_json({t: i for i, t in enumerate(tokens)}, keys["tokenizer.ggml.merges"], special, rule)
            some = codes[turn % 7::7] if count >= 10000 else codes[turn::97]
            wrong += compare_json("rule " + rule, tool, spec, len(tokens), texts + some)
            done += 1
    def count_one():
        nonlocal done
        done += 1

    spec = tokenizer_json({t: i for i, t in enumerate(tokens)}, keys["tokenizer.ggml.merges"], special, "llama3")
    wrong += compare_normalizers(tool, spec, len(tokens) + 8, texts, wanted, count_one)
    print(f"{done} tokenizers, {wrong} ids differ")
    return wrong or not done


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
