#!/usr/bin/env python3
"""peers.py: PyTorch and Hugging Face decode a model of the same shape as a program of llmc, on the same GPU.

    peers.py ENGINE --shape INFO.json -o LINES.jsonl [--ctx 1,1024,4096] [--device cuda|cpu] [--quick]

INFO.json is what PROGRAM --info --json prints; weights are random, in BF16, K/V too. Each engine is checked before it is timed.
Lines: kind step: device time of a step, logits ready on the GPU, nothing chosen; gen64: the host's clock over 64 steps, each with
the id that the one before has chosen, divided by 64. `ctx`: positions that the first of these steps attends."""
import argparse
import gc
import inspect
import json
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

import attention

SPARE = 128  # positions behind the last context, for the steps that are timed
BOUND = 0.05  # relative error of the logits against float32: BF16 activations give some 0.01


class Shape:
    def __init__(self, info):
        self.layers, self.hidden, self.heads = info["layers"], info["hidden"], info["heads"]
        self.kv_heads, self.head_dim, self.ffn = info["kv_heads"], info["head_dim"], info["ffn"]
        self.vocab, self.tied = info["vocab"], info["tied_embedding"]


# ---- timing ---------------------------------------------------------------------------------------------------------


class Clock:
    """Writes the lines; times on a GPU or, to try the script out, on the CPU."""

    def __init__(self, path, engine, device, quick):
        self.path, self.engine, self.device = path, engine, device
        self.steps, self.tokens, self.repeats = (200, 64, 12) if not quick else (20, 64, 3)
        if device == "cpu":
            self.steps, self.tokens, self.repeats = 4, 4, 3

    def wait(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def emit(self, kind, ctx, times_ms, note):
        t = sorted(times_ms)
        line = dict(engine=self.engine, kind=kind, ctx=ctx, ms_median=round(t[len(t) // 2], 5), ms_p10=round(t[len(t) // 10], 5),
                    ms_p90=round(t[min(len(t) - 1, len(t) * 9 // 10)], 5), n=len(t), note=note)
        with open(self.path, "a") as f:
            f.write(json.dumps(line) + "\n")
        print(f"{self.engine} {kind} ctx {ctx}: {line['ms_median']:.4f} ms", flush=True)

    def step(self, run, ctx, note):
        """Intervals between events that are recorded behind each step while the GPU always has work."""
        warm, start = 0.5 if self.device == "cuda" else 0, time.perf_counter()
        while True:  # half a second: the clocks are up then
            run()
            self.wait()
            if time.perf_counter() - start >= warm:
                break
        if self.device == "cpu":
            times = []
            for _ in range(self.steps):
                start = time.perf_counter()
                run()
                times.append(1e3 * (time.perf_counter() - start))
            self.emit("step", ctx, times, note)
            return
        events = [torch.cuda.Event(enable_timing=True) for _ in range(self.steps + 1)]
        events[0].record()
        for i in range(self.steps):
            run()
            events[i + 1].record()
        self.wait()
        self.emit("step", ctx, [events[i].elapsed_time(events[i + 1]) for i in range(self.steps)], note)

    def generate(self, reset, run, ctx, note):
        times = []
        for i in range(self.repeats + 1):
            reset()
            self.wait()
            start = time.perf_counter()
            for _ in range(self.tokens):
                run()
            self.wait()
            if i:  # the first one warms up
                times.append(1e3 * (time.perf_counter() - start) / self.tokens)
        self.emit(f"gen{self.tokens}", ctx, times, note)


def capture(run):
    """`run` as one CUDA graph: what replays it, and its result."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = run()
    return graph.replay, out


def relative(got, want):
    return ((got.float() - want).norm() / want.norm()).item()


def must_be_near(got, want, what):
    error = relative(got, want)
    if not error < BOUND:  # a NaN is not near
        raise SystemExit(f"{what}: relative error {error:.3g} of the logits, bound {BOUND}")
    return error


# ---- the minimal model ----------------------------------------------------------------------------------------------


def norm(x, w):
    y = x.float()
    return (y * torch.rsqrt(y.square().mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * w


def rotate(x, cos, sin):
    y = x.float()
    half = y.shape[-1] // 2
    return (y * cos + torch.cat((-y[..., half:], y[..., :half]), -1) * sin).to(x.dtype)


class Minimal(nn.Module):
    """A Llama decoder with a static K/V cache and nothing else: q, k, v stacked, gate and up stacked, one step a call."""

    def __init__(self, s, positions, device):
        super().__init__()
        self.s, self.positions = s, positions
        random = torch.Generator(device=device).manual_seed(7)

        def fill(scale, *size):
            return torch.randn(*size, device=device, dtype=torch.bfloat16, generator=random) * scale

        def keep(name, tensor):
            self.register_buffer(name, tensor)

        keep("embedding", fill(0.02, s.vocab, s.hidden))
        keep("head", self.embedding if s.tied else fill(0.02, s.vocab, s.hidden))
        keep("last", torch.ones(s.hidden, device=device, dtype=torch.bfloat16))
        for i in range(s.layers):
            keep(f"qkv{i}", fill(0.02, (s.heads + 2 * s.kv_heads) * s.head_dim, s.hidden))
            keep(f"wo{i}", fill(0.02, s.hidden, s.heads * s.head_dim))
            keep(f"up{i}", fill(0.02, 2 * s.ffn, s.hidden))
            keep(f"down{i}", fill(0.02, s.hidden, s.ffn))
            keep(f"first{i}", torch.ones(s.hidden, device=device, dtype=torch.bfloat16))
            keep(f"second{i}", torch.ones(s.hidden, device=device, dtype=torch.bfloat16))
            keep(f"k{i}", fill(0.5, s.kv_heads, positions, s.head_dim))
            keep(f"v{i}", fill(0.5, s.kv_heads, positions, s.head_dim))
        angle = torch.outer(torch.arange(positions, device=device).float(),
                            1.0 / 500000.0 ** (torch.arange(0, s.head_dim, 2, device=device).float() / s.head_dim))
        keep("cos", torch.cat((angle, angle), -1).cos())
        keep("sin", torch.cat((angle, angle), -1).sin())
        self.fast = device == "cuda" and attention.fits(s.head_dim)

    def attend(self, q, k, v, position):
        s = self.s
        if self.fast:
            return attention.attend(q, k, v, position)
        seen = (torch.arange(self.positions, device=q.device) <= position).view(1, 1, 1, -1)
        out = F.scaled_dot_product_attention(q.view(1, s.heads, 1, s.head_dim), k[None], v[None], attn_mask=seen, enable_gqa=True)
        return out.reshape(s.heads, s.head_dim)

    def forward(self, token, position):
        s, b = self.s, self._buffers
        x = self.embedding[token]
        cos, sin = self.cos[position], self.sin[position]
        for i in range(s.layers):
            y = F.linear(norm(x, b[f"first{i}"]), b[f"qkv{i}"]).view(-1, s.head_dim)
            q = rotate(y[:s.heads], cos, sin)
            k, v = b[f"k{i}"], b[f"v{i}"]
            k[:, position] = rotate(y[s.heads:s.heads + s.kv_heads], cos, sin).unsqueeze(1)
            v[:, position] = y[s.heads + s.kv_heads:].unsqueeze(1)
            x = x + F.linear(self.attend(q, k, v, position).reshape(1, -1), b[f"wo{i}"])
            y = F.linear(norm(x, b[f"second{i}"]), b[f"up{i}"])
            x = x + F.linear(F.silu(y[:, :s.ffn]) * y[:, s.ffn:], b[f"down{i}"])
        return F.linear(norm(x, self.last), self.head)

    def float32(self, token, p):
        """The same step written apart, in float32 throughout; it reads the cache below position p and writes nothing."""
        s, b = self.s, self._buffers

        def times(x, w):
            return x @ w.float().t()

        def scaled(x):
            return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5)

        x = self.embedding[token].float()
        cos, sin = self.cos[p], self.sin[p]
        for i in range(s.layers):
            y = times(scaled(x), b[f"qkv{i}"]).view(-1, s.head_dim)
            q = rotate(y[:s.heads], cos, sin).view(s.kv_heads, -1, s.head_dim)
            k = torch.cat((b[f"k{i}"][:, :p].float(), rotate(y[s.heads:s.heads + s.kv_heads], cos, sin).unsqueeze(1)), 1)
            v = torch.cat((b[f"v{i}"][:, :p].float(), y[s.heads + s.kv_heads:].unsqueeze(1)), 1)
            weight = torch.softmax(q @ k.transpose(1, 2) * s.head_dim ** -0.5, -1)
            x = x + times((weight @ v).reshape(1, -1), b[f"wo{i}"])
            y = times(scaled(x), b[f"up{i}"])
            x = x + times(F.silu(y[:, :s.ffn]) * y[:, s.ffn:], b[f"down{i}"])
        return times(scaled(x), self.head)


def run_minimal(clock, shape, contexts, compiled):
    device = clock.device
    model = Minimal(shape, max(contexts) + SPARE, device)
    token, position = torch.tensor([17], device=device), torch.tensor([0], device=device)
    step = model
    if compiled:
        step = torch.compile(model, fullgraph=True, dynamic=False, mode=None if device == "cpu" else "max-autotune-no-cudagraphs")
    start = time.time()
    worst = 0.0
    for ctx in contexts:
        position.fill_(ctx - 1)
        want = model.float32(token, ctx - 1)
        worst = max(worst, must_be_near(step(token, position), want, f"{clock.engine}, context {ctx}"))
    note = (f"torch {torch.__version__}, {'max-autotune, ' if compiled else ''}one CUDA graph a step, "
            f"{'split attention in Triton' if model.fast else 'sdpa'}; checked: relative error {worst:.1e}; ready after {time.time() - start:.0f} s")

    def chosen():
        logits = step(token, position)
        token.copy_(logits.argmax(-1))
        position.add_(1)

    run, run_chosen = lambda: step(token, position), chosen
    if device == "cuda":
        run, logits = capture(run)
        run()
        must_be_near(logits, model.float32(token, int(position)), f"{clock.engine}, its CUDA graph")
        run_chosen, _ = capture(chosen)

    for ctx in contexts:
        def reset():
            token.fill_(17)
            position.fill_(ctx - 1)
        reset()
        clock.step(run, ctx, note)
        clock.generate(reset, run_chosen, ctx, note + "; argmax and position inside the graph")


# ---- Hugging Face ---------------------------------------------------------------------------------------------------


def hugging_face(s, positions, device):
    from transformers import LlamaConfig, LlamaForCausalLM
    config = LlamaConfig(hidden_size=s.hidden, num_hidden_layers=s.layers, num_attention_heads=s.heads,
                         num_key_value_heads=s.kv_heads, head_dim=s.head_dim, intermediate_size=s.ffn, vocab_size=s.vocab,
                         tie_word_embeddings=s.tied, max_position_embeddings=max(positions, 8192), rms_norm_eps=1e-5,
                         bos_token_id=0, eos_token_id=1, pad_token_id=None)
    config._attn_implementation = "sdpa"
    torch.manual_seed(7)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device(device):
        model = LlamaForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    return model.eval()


def at(model, cache, position=None):
    """Arguments that say where a step stands, under the names of the version at hand."""
    known = inspect.signature(model.forward).parameters
    args = {"cache" if "cache" in known else "past_key_values": cache, "use_cache": True}
    if position is not None:
        args["position_ids"] = position
        if "cache_position" in known:
            args["cache_position"] = position.view(-1)
    return args


def fill_cache(model, cache, n):
    """The K/V cache of n positions, in pieces that a mask of all pairs fits."""
    device = model.device
    ids = torch.randint(0, model.config.vocab_size, (1, n), device=device)
    for first in range(0, n, 2048):
        some = ids[:, first:first + 2048]
        position = torch.arange(first, first + some.shape[1], device=device)[None]
        model(some, logits_to_keep=1, **at(model, cache, position))


def counters(cache, n):
    """Sets the write counters that later versions keep in a static cache's layers; gives those that are tensors."""
    found = []
    for layer in cache.layers:
        have = getattr(layer, "cumulative_length", None)
        if torch.is_tensor(have):
            have.fill_(n)
            found.append(have)
        elif have is not None:
            layer.cumulative_length = n
    return found


def run_hf_eager(clock, shape, contexts):
    import transformers
    model = hugging_face(shape, max(contexts) + SPARE, clock.device)
    note = f"transformers {transformers.__version__}, torch {torch.__version__}, sdpa, DynamicCache"
    state = {}

    def chosen():
        logits = model(state["token"], **at(model, state["cache"])).logits
        state["token"] = logits[:, -1:].argmax(-1)

    for ctx in contexts:
        def reset():
            state["cache"] = transformers.DynamicCache(config=model.config)
            if ctx > 1:
                fill_cache(model, state["cache"], ctx - 1)
            state["token"] = torch.tensor([[17]], device=clock.device)
        steps, repeats, clock.steps, clock.repeats = clock.steps, clock.repeats, min(clock.steps, 50), min(clock.repeats, 3)
        reset()
        clock.step(lambda: model(state["token"], **at(model, state["cache"])), ctx,
                   note + "; the cache grows by a position a step")
        clock.generate(reset, chosen, ctx, note)
        clock.steps, clock.repeats = steps, repeats


def run_hf_compiled(clock, shape, contexts):
    import transformers
    device = clock.device
    model = hugging_face(shape, max(contexts) + SPARE, device)
    for ctx in contexts:
        cache = transformers.StaticCache(config=model.config, max_cache_len=ctx + SPARE)
        token, position = torch.tensor([[17]], device=device), torch.tensor([[ctx - 1]], device=device)
        fill_cache(model, cache, ctx)  # position ctx - 1 is written again by each step
        rewound = counters(cache, ctx - 1)
        want = model(token, **at(model, cache, position)).logits.float()
        torch._dynamo.reset()
        step = torch.compile(model.forward, dynamic=False, mode=None if device == "cpu" else "reduce-overhead")

        def logits():
            if device == "cuda":
                torch.compiler.cudagraph_mark_step_begin()
            return step(token, **at(model, cache, position)).logits

        def same_place():
            out = logits()
            if rewound:
                torch._foreach_add_(rewound, -1)
            else:
                counters(cache, ctx - 1)
            return out

        def chosen():
            token.copy_(logits()[:, -1:].argmax(-1))
            position.add_(1)

        def reset():
            token.fill_(17)
            position.fill_(ctx - 1)
            counters(cache, ctx - 1)

        start = time.time()
        for _ in range(4):
            reset()
            same_place()
        reset()
        error = must_be_near(same_place(), want, f"{clock.engine}, context {ctx}")
        note = (f"transformers {transformers.__version__}, torch {torch.__version__}, sdpa, StaticCache, reduce-overhead; "
                f"checked against eager: {error:.1e}; ready after {time.time() - start:.0f} s")
        reset()
        clock.step(same_place, ctx, note)
        clock.generate(reset, chosen, ctx, note + "; loop and argmax in Python")
        del cache
        gc.collect()


ENGINES = {
    "torch-graph": lambda c, s, n: run_minimal(c, s, n, False),
    "torch-max-autotune": lambda c, s, n: run_minimal(c, s, n, True),
    "hf-eager": run_hf_eager,
    "hf-reduce-overhead": run_hf_compiled,
}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("engine", choices=ENGINES)
    p.add_argument("--shape", required=True)
    p.add_argument("-o", required=True)
    p.add_argument("--ctx", default="1,1024,4096")
    p.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    p.add_argument("--quick", action="store_true", help="fewer repeats")
    a = p.parse_args()
    torch.set_grad_enabled(False)
    with open(a.shape) as f:
        shape = Shape(json.load(f))
    contexts = sorted(int(c) for c in a.ctx.split(","))
    ENGINES[a.engine](Clock(a.o, a.engine, a.device, a.quick), shape, contexts)


if __name__ == "__main__":
    main()
