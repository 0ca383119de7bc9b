# make.py: writes the tiny models of this folder and what transformers computes with them:
#   python3 make.py [NAME...]        (torch 2.15.0, transformers 5.24.0, safetensors)
#
# models/NAME/config.json, model.safetensors    a checkpoint as Hugging Face writes it
# models/NAME/ids.txt                           ids that are forced, the first and the last of the vocabulary among them
# models/NAME/{f32,f16,bf16}.logits             little-endian float32 [64][vocab] of the last 64 of them, by K/V type
# models/NAME/greedy.txt                        the 16 ids that follow, with float32 K/V
#
# Scales make the logits lively: a standard deviation of some 2, attention far from uniform. Matrices have a mean: with
# none, faults that all values share go unseen.
import json
import os
import sys

import torch
from safetensors.torch import save_file

import reference

HERE = os.path.dirname(os.path.abspath(__file__))
SCORED, FOLLOWING, LEAST_GAP, LEAST_DISTINCT = 64, 16, 5e-3, 6
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=64)

# Two layers, untied, bfloat16 unless said otherwise. `embed`: standard deviation of the embedding; `forced`: ids;
# `matrix`, `embedding`, `norm`: types in the file; `also`: further lines of config.json.
MODELS = {
    "gqa": dict(hidden=64, heads=4, kv=2, ffn=59, vocab=79, norm="F32"),
    "mha": dict(layers=3, hidden=48, heads=6, kv=6, ffn=41, vocab=61, tied=True),
    "mqa": dict(hidden=80, heads=5, kv=1, ffn=37, vocab=59),
    "group-of-7": dict(layers=1, hidden=28, heads=14, kv=2, head_dim=64, ffn=49, vocab=67),
    "hidden-200": dict(layers=1, hidden=200, heads=4, kv=2, head_dim=20, ffn=30, vocab=61, tied=True),
    "hidden-136": dict(layers=1, hidden=136, heads=4, kv=2, ffn=29, vocab=59, tied=True, norm="F32"),
    "odd-hidden": dict(hidden=35, heads=5, kv=1, head_dim=16, ffn=31, vocab=61),
    "head-dim-6": dict(hidden=48, heads=8, kv=4, ffn=39, vocab=71, theta=100.0),
    "head-dim-64": dict(layers=1, hidden=192, heads=3, kv=1, ffn=14, vocab=41, tied=True),
    "head-dim-256": dict(layers=1, hidden=16, heads=4, kv=1, head_dim=256, ffn=50, vocab=67, tied=True),
    "heads-wider-than-hidden": dict(hidden=40, heads=4, kv=2, head_dim=32, ffn=53, vocab=79, embedding="F16"),
    "fewer-rows-than-workers": dict(layers=4, hidden=24, heads=2, kv=1, ffn=3, vocab=37, tied=True),
    "rope-linear-old": dict(hidden=48, heads=3, kv=1, ffn=29, vocab=47,
                            also=dict(rope_theta=10000.0, rope_scaling=dict(type="linear", factor=4.0))),
    "rope-linear-new": dict(hidden=48, heads=3, kv=1, ffn=29, vocab=47, tied=True, theta=None,
                            also=dict(rope_parameters=dict(rope_type="linear", factor=2.5, rope_theta=500.0))),
    "rope-llama3-old": dict(hidden=64, heads=2, kv=1, ffn=29, vocab=47,
                            also=dict(rope_theta=1000.0, rope_scaling=LLAMA3)),
    "rope-llama3-new": dict(hidden=64, heads=2, kv=2, ffn=29, vocab=47, tied=True, theta=None,
                            also=dict(rope_parameters=dict(LLAMA3, rope_theta=10000.0, factor=32.0,
                                                           original_max_position_embeddings=32))),
    "eps-large": dict(hidden=48, heads=4, kv=2, ffn=29, vocab=47, eps=1e-2, embed=0.05),
    "eps-missing": dict(hidden=48, heads=4, kv=2, ffn=29, vocab=47, eps=None, embed=0.002, tied=True),
    "float16": dict(hidden=56, heads=7, kv=7, ffn=35, vocab=59, matrix="F16", norm="F16", dtype="float16"),
    "float32": dict(hidden=40, heads=5, kv=1, ffn=43, vocab=67, matrix="F32", norm="F32", dtype="float32"),
    "two-parts": dict(hidden=40, heads=4, kv=2, ffn=39, vocab=59, max_tokens=640, forced=520),
}
TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def config_of(m):
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
        "hidden_size": m["hidden"], "intermediate_size": m["ffn"], "num_hidden_layers": m.get("layers", 2),
        "num_attention_heads": m["heads"], "num_key_value_heads": m["kv"], "vocab_size": m["vocab"],
        "max_position_embeddings": m.get("max_tokens", 128), "rms_norm_eps": m.get("eps", 1e-5),
        "rope_theta": m.get("theta", 10000.0), "tie_word_embeddings": m.get("tied", False),
        "torch_dtype": m.get("dtype", "bfloat16"), "bos_token_id": 1, "eos_token_id": None,
    }
    if "head_dim" in m:
        config["head_dim"] = m["head_dim"]
    config |= m.get("also", {})
    return {key: value for key, value in config.items() if value is not None}


def tensors_of(m, seed):
    g = torch.Generator().manual_seed(seed)
    matrix_type, norm_type = TYPES[m.get("matrix", "BF16")], TYPES[m.get("norm", "BF16")]
    hidden, dim = m["hidden"], m.get("head_dim", m["hidden"] // m["heads"])
    out = {}

    def matrix(name, rows, cols, deviation):
        out[name] = (deviation * (0.15 + torch.randn(rows, cols, generator=g))).to(matrix_type)

    def linear(name, rows, cols, gain):
        matrix(name, rows, cols, gain / cols ** 0.5)

    def norm(name):
        out[name] = (1 + 0.3 * torch.randn(hidden, generator=g)).to(norm_type)

    tied = m.get("tied", False)
    matrix("model.embed_tokens.weight", m["vocab"], hidden, m.get("embed", 2.5 / hidden ** 0.5 if tied else 1.0))
    for i in range(m.get("layers", 2)):
        at = f"model.layers.{i}."
        linear(at + "self_attn.q_proj.weight", m["heads"] * dim, hidden, 1.5)
        linear(at + "self_attn.k_proj.weight", m["kv"] * dim, hidden, 1.5)
        linear(at + "self_attn.v_proj.weight", m["kv"] * dim, hidden, 1.0)
        linear(at + "self_attn.o_proj.weight", hidden, m["heads"] * dim, 1.0)
        linear(at + "mlp.gate_proj.weight", m["ffn"], hidden, 1.2)
        linear(at + "mlp.up_proj.weight", m["ffn"], hidden, 1.2)
        linear(at + "mlp.down_proj.weight", hidden, m["ffn"], 1.0)
        norm(at + "input_layernorm.weight")
        norm(at + "post_attention_layernorm.weight")
    if "embedding" in m:
        out["model.embed_tokens.weight"] = out["model.embed_tokens.weight"].to(TYPES[m["embedding"]])
    norm("model.norm.weight")
    if not tied:
        linear("lm_head.weight", m["vocab"], hidden, 2.0)
    if tied and "embed" in m:  # the last norm then brings the logits back to size
        out["model.norm.weight"] = (out["model.norm.weight"].float() * 2.5 / (m["embed"] * hidden ** 0.5)).to(norm_type)
    return out


def ids_of(m, seed):
    g = torch.Generator().manual_seed(seed)
    n = m.get("forced", SCORED)
    ids = torch.randint(0, m["vocab"], (n,), generator=g).tolist()
    ids[n - SCORED + 5], ids[n - SCORED + 9] = 0, m["vocab"] - 1
    return ids


def text_of(ids):
    return ",".join(str(i) for i in ids) + "\n"


def write(name, seed):
    """False where rounding could choose between two logits, or the ids that follow run into a circle at once."""
    m = MODELS[name]
    folder = os.path.join(HERE, "models", name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w") as f:
        f.write(json.dumps(config_of(m), indent=2) + "\n")
    weights = os.path.join(folder, "model.safetensors")
    save_file(tensors_of(m, seed), weights, metadata={"format": "pt"})
    os.chmod(weights, 0o644)
    model = reference.load(folder)
    if m.get("matrix", "BF16") == "F32":
        reference.round_matrices(model)
    ids = ids_of(m, seed)
    rows = {kv: reference.forced_logits(model, ids, kv)[-SCORED:] for kv in reference.KV_TYPES}
    following, gaps = reference.greedy(model, ids, FOLLOWING, "f32")
    two = rows["f32"].topk(2).values
    gaps += (two[:, 0] - two[:, 1]).tolist()
    if min(gaps) < LEAST_GAP or len(set(following)) < LEAST_DISTINCT:
        return False
    for kv, values in rows.items():
        values.contiguous().numpy().astype("<f4").tofile(os.path.join(folder, kv + ".logits"))
    for file, what in ("ids.txt", ids), ("greedy.txt", following):
        with open(os.path.join(folder, file), "w") as f:
            f.write(text_of(what))
    off = {kv: float((rows[kv] - rows["f32"]).norm(dim=1).div(rows["f32"].norm(dim=1)).max()) for kv in ("f16", "bf16")}
    print(f"{name:22} deviation {float(rows['f32'].std()):.2f}  least gap {min(gaps):.4f}  "
          f"moved by F16 K/V {off['f16']:.1e}, BF16 {off['bf16']:.1e}")
    return True


for i, name in enumerate(MODELS):
    if len(sys.argv) == 1 or name in sys.argv[1:]:
        seed = 100 * i
        while not write(name, seed):
            seed += 1
