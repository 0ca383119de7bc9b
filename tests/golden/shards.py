# shards.py: writes SmolLM2 as transformers would: two float32 shards, their index, config.json, tokenizer.json.
# usage: shards.py SmolLM2-135M-Instruct.Q4_1.gguf FOLDER
# Exits with 77, saying why, where a package is missing.
import json
import os
import sys

try:
    import smollm
except ImportError as missing:
    print(f"skipped: {missing} (torch, transformers, gguf and tokenizers are needed)", file=sys.stderr)
    sys.exit(77)

SHARD = "300MB"  # of 538 MB; the tied head is written once


def main():
    gguf, folder = sys.argv[1:]
    smollm.model_of(gguf).save_pretrained(folder, max_shard_size=SHARD)
    with open(os.path.join(folder, "tokenizer.json"), "w") as f:
        json.dump(smollm.tokenizer_of(gguf), f, ensure_ascii=False)
    shards = [name for name in os.listdir(folder) if name.endswith(".safetensors")]
    assert len(shards) == 2, f"{len(shards)} shards"


if __name__ == "__main__":
    main()
