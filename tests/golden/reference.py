# reference.py: transformers in float32, with K and V rounded to the type that the cache of a program holds.
#
# The reference reads the same folder as llmc. Matrices of a float32 checkpoint are rounded to bfloat16, as llmc packs
# them; everything else is float32. A cache of transformers receives K after the rotation and V as projected, and
# hands back what the attention reads: rounding there rounds every K and V once, the token's own included, as the
# programs do.
import torch
import transformers
from transformers import AutoModelForCausalLM
from transformers.cache_utils import DynamicCache, DynamicLayer

transformers.utils.logging.disable_progress_bar()
torch.set_num_threads(1)  # one order of sums, whatever the machine
KV_TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


class RoundingLayer(DynamicLayer):
    kv = torch.float32

    def update(self, key_states, value_states, *args, **kwargs):
        return super().update(key_states.to(self.kv).float(), value_states.to(self.kv).float(), *args, **kwargs)


def rounding_cache(model, kv):
    cache = DynamicCache(config=model.config)
    for i in range(len(cache.layers)):
        cache.layers[i] = RoundingLayer()
        cache.layers[i].kv = KV_TYPES[kv]
    return cache


def round_matrices(model):
    """To bfloat16 and back: changes nothing in a checkpoint of that type. Tied matrices are one parameter."""
    for parameter in model.parameters():
        if parameter.dim() == 2:
            parameter.data = parameter.data.bfloat16().float()
    return model


def load(folder):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    return model.eval()


@torch.no_grad()
def forced_logits(model, ids, kv):
    """[position][vocab] of all ids, in one pass."""
    return model(torch.tensor([ids]), cache=rounding_cache(model, kv), use_cache=True).logits[0]


@torch.no_grad()
def greedy(model, ids, n, kv):
    """n ids, one at a time with the cache, and the distance of the two best logits at each."""
    cache, made, gaps, feed = rounding_cache(model, kv), [], [], list(ids)
    for _ in range(n):
        logits = model(torch.tensor([feed]), cache=cache, use_cache=True).logits[0, -1]
        best = logits.topk(2)
        made.append(int(best.indices[0]))
        gaps.append(float(best.values[0] - best.values[1]))
        feed = [made[-1]]
    return made, gaps
