#!/usr/bin/env python3
"""table.py: a Markdown table and a picture of the lines that bench.py has gathered.

    table.py RESULTS.jsonl -o DIR        writes DIR/table.md and DIR/bench.svg

The first line of RESULTS.jsonl, kind "run", says what was run where; the others are those of a program's --bench -o FILE.jsonl
and of peers.py, and figures of other runs, which have a key "other_run". No package is needed."""
import argparse
import json
import os
import sys

import picture

NAMES = {
    "llmc": "llmc",
    "torch-graph": "PyTorch minimal model, one CUDA graph",
    "torch-max-autotune": "PyTorch minimal model, max-autotune, graph",
    "hf-eager": "Hugging Face, eager",
    "hf-reduce-overhead": "Hugging Face, static cache, reduce-overhead",
}


class Figure:
    """What one engine needs for a token at one context: the mean of the medians of the lines that say so."""

    def __init__(self, lines):
        self.lines = lines
        self.ms = sum(l["ms_median"] for l in lines) / len(lines)
        self.spread = max(l["ms_median"] for l in lines) / min(l["ms_median"] for l in lines) - 1
        self.kind, self.other_run = lines[0]["kind"], lines[0].get("other_run")


class Results:
    def __init__(self, lines):
        runs = [l for l in lines if l.get("kind") == "run"]
        reads = [l for l in lines if l.get("kind") == "read"]
        if not runs:
            raise SystemExit("table.py: there is no line of kind \"run\": bench.py writes one")
        self.run = runs[0]
        self.rates = [l["bytes"] / l["ms_median"] / 1e6 for l in reads]
        self.gbs = len(self.rates) / sum(1 / r for r in self.rates) if self.rates else None
        self.lines = [l for l in lines if l.get("kind") not in ("run", "read", "prefill") and "ms_median" in l]
        self.contexts = sorted({l["ctx"] for l in self.lines if l["engine"] == "llmc"} or {l["ctx"] for l in self.lines})
        self.engines = list(dict.fromkeys(l["engine"] for l in self.lines))

    def figure(self, engine, ctx, generated):
        """The like-for-like one: ids chosen, each from the one before. Or a single step: on the GPU's clock if there is one."""
        mine = [l for l in self.lines if l["engine"] == engine and l["ctx"] == ctx]
        kinds = [l["kind"] for l in mine if l["kind"].startswith("gen")] if generated else ["step", "step_sync"]
        kinds.sort(key=lambda k: (k != "gen64", k))
        for kind in kinds:
            lines = [l for l in mine if l["kind"] == kind]
            if lines:
                return Figure(lines)
        return None

    def floor_ms(self, ctx, weight_bytes=None):
        if not self.gbs:
            return None
        return ((weight_bytes or self.run["weight_bytes"]) + self.run["kv_bytes"] * ctx) / self.gbs / 1e6

    def share(self, figure):
        """Of the floor at the mean context of what was timed; of another run, what was measured there."""
        line = figure.lines[0]
        if figure.other_run:
            return line.get("floor_share")
        tokens = int(figure.kind[3:]) if figure.kind.startswith("gen") else 1
        floor = self.floor_ms(line.get("mean_ctx", line["ctx"] + (tokens - 1) / 2), line.get("weight_bytes"))
        return floor / figure.ms if floor else None

    def name(self, engine):
        return NAMES.get(engine, engine)

    def best(self, engine, ctx):
        return self.figure(engine, ctx, True) or self.figure(engine, ctx, False)

    def ranked(self):
        """llmc first, then this run's engines and those of other runs, each from the fastest on."""
        def key(engine):
            figures = [f for f in (self.best(engine, c) for c in self.contexts) if f]
            return (engine != "llmc", bool(figures[0].other_run) if figures else True, figures[0].ms if figures else 0)
        return sorted(self.engines, key=key)


def cell(text, bold):
    return f"**{text}**" if bold and text else text


def share_text(share):
    return f"{100 * share:.0f}%" if share else ""


def row(results, engine):
    bold, cells = engine == "llmc", []
    figures = [results.figure(engine, c, True) for c in results.contexts]
    steps = [results.figure(engine, c, False) for c in results.contexts]
    for f in figures:
        other_count = f and f.kind != "gen64"
        cells.append(cell(f"{f.ms:.3f}{' (' + f.kind[3:] + ')' if other_count else ''}" if f else "", bold))
    judged = [f or s for f, s in zip(figures, steps)]
    cells.append(cell(f"{1e3 / judged[0].ms:,.0f}" if judged[0] else "", bold))
    shares = [share_text(results.share(f)) if f else "-" for f in judged]
    cells.append(cell(" / ".join(shares) if any(s.endswith("%") for s in shares) else "", bold))
    cells += [cell(f"{s.ms:.3f}{'*' if s.kind == 'step_sync' else ''}" if s else "", bold) for s in steps]
    other = next((f.other_run for f in judged if f and f.other_run), None)
    return f"| {cell(results.name(engine), bold)}{' †' if other else ''} | " + " | ".join(cells) + " |"


def heads(results):
    places = [f"{c:,}" for c in results.contexts]
    titles = ["engine"] + [f"generate 64, at {p}" for p in places] + [f"tok/s, {places[0]}"]
    titles += ["share of the floor"] + [f"one step, {p}" for p in places]
    return "| " + " | ".join(titles) + " |\n|---|" + "---:|" * (len(titles) - 1)


def floor_row(results):
    floors = [results.floor_ms(c) for c in results.contexts]
    if not results.gbs:
        return ""
    cells = [f"{f:.3f}" for f in floors]
    return "| the floor | " + " | ".join(cells + [f"{1e3 / floors[0]:,.0f}", "100%"] + cells) + " |\n"


def notes(results):
    out, said = [], set()
    for engine in results.ranked():
        figures = [f for f in (results.figure(engine, c, g) for c in results.contexts for g in (True, False)) if f]
        texts = list(dict.fromkeys(l.get("note", "") for f in figures for l in f.lines))
        first = texts[0] if texts else ""
        if first and (engine, first) not in said:
            said.add((engine, first))
            out.append(f"- {results.name(engine)}: {first}")
    return "\n".join(out)


def markdown(results):
    run = results.run
    text = [f"# {run['model']} on {run['gpu']}: ms a token\n"]
    where = ", ".join(t for t in (run["date"], run["gpu"], run.get("driver") and "driver " + run["driver"], run.get("program")) if t)
    text.append(where + ".")
    if results.gbs:
        text.append(f"Floor: the weights of a token ({run['weight_bytes']:,} bytes) and the K/V of the context at {results.gbs:,.0f} GB/s, "
                    f"read {len(results.rates)} times in this run, before and after ({min(results.rates):,.0f} to {max(results.rates):,.0f}).")
    else:
        text.append("No floor: the program measured none, as one for the CPU does.")
    mine = [f for f in (results.figure("llmc", c, True) for c in results.contexts) if f and len(f.lines) > 1]
    if mine:
        text.append(f"llmc was timed before and after its peers: its medians differ by at most {100 * max(f.spread for f in mine):.1f}%; their mean is shown.")
    text.append("\n" + heads(results) + "\n" + floor_row(results) + "\n".join(row(results, e) for e in results.ranked()) + "\n")
    text.append("Generate 64: greedy, every id chosen from the logits of the step before, the host's clock over all of it (a number in brackets: so many")
    text.append("tokens instead); llmc's end at the context, the peers' begin there. One step: the logits are ready on the GPU, nothing is chosen, device time; * host clock with launch and wait (llmc: and the choice).")
    others = sorted({l["other_run"] for l in results.lines if l.get("other_run")})
    if others:
        text.append(f"† measured in another run ({'; '.join(others)}): compare shares, not milliseconds.")
    for skipped in run.get("skipped", []):
        text.append(f"Not run: {skipped}.")
    text.append("Not compared: TensorRT-LLM, vLLM, SGLang, ExLlama, MLC-LLM, batches of several texts, quantised weights unless a row says so.\n")
    text.append(notes(results) + "\n")
    return "\n".join(text)


def read(paths):
    lines = []
    for path in paths:
        with open(path) as f:
            for number, text in enumerate(f, 1):
                try:
                    line = json.loads(text)
                except ValueError:
                    raise SystemExit(f"{path}:{number}: this line is not JSON") from None
                if not isinstance(line, dict) or "engine" not in line or "kind" not in line:
                    raise SystemExit(f"{path}:{number}: this line has no engine and kind")
                lines.append(line)
    return lines


def write(lines, folder):
    results = Results(lines)
    os.makedirs(folder, exist_ok=True)
    for name, text in (("table.md", markdown(results)), ("bench.svg", picture.draw(results))):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    return results


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("results", nargs="+")
    p.add_argument("-o", default=".", metavar="DIR")
    a = p.parse_args()
    sys.stdout.write(markdown(write(read(a.results), a.o)))


if __name__ == "__main__":
    main()
