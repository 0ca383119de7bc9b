#!/usr/bin/env python3
"""bench.py: a program of llmc and its peers on one GPU, in one run: a table and a picture.

    bench.py PROGRAM [-o DIR] [--ctx 1,1024,4096] [--engines torch-graph,...|none] [--llama-bench OUT.json]

In this order: PROGRAM --bench, which on a GPU measures the floor before and after itself; PyTorch and Hugging Face at the same shape (where
torch and a GPU are there; nothing is downloaded); PROGRAM --bench again. A file that `llama-bench -o json` has written on this machine
can join (-n 64 -d 0,1024,4096 -r 20 gives the same contexts). DIR gets results.jsonl, table.md and bench.svg."""
import argparse
import json
import os
import subprocess
import sys
import time

import table

HERE = os.path.dirname(os.path.abspath(__file__))
ENGINES = ["torch-graph", "torch-max-autotune", "hf-reduce-overhead", "hf-eager"]


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def output_of(argv, limit=60):
    """What a command prints, or None when it is not there or fails."""
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=limit, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None


def program_info(program):
    try:
        done = subprocess.run([program, "--info", "--json"], stdout=subprocess.PIPE, check=False)
    except OSError as e:
        raise SystemExit(f"bench: {program}: {e.strerror}") from None
    if done.returncode:
        raise SystemExit(done.returncode)
    return json.loads(done.stdout)


def run_program(a, info, path):
    """One --bench of the program; its lines are in `path` then."""
    contexts = [c for c in a.contexts if c <= info["context"]]
    argv = [a.program, "--bench", "-o", path, "--ctx", ",".join(map(str, contexts))]
    argv += ["--weights", a.weights] if a.weights else []
    argv += ["-r", str(a.repeats)] if a.repeats else []
    say(" ".join(argv))
    code = subprocess.run(argv, check=False).returncode
    if code:
        raise SystemExit(code)


def why_no_peers(a):
    if a.device == "cpu":
        probe = "import torch"
    else:
        probe = "import torch, sys; torch.cuda.is_available() or sys.exit(2)"
    try:
        code = subprocess.run([a.python, "-c", probe], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=False).returncode
    except (OSError, subprocess.TimeoutExpired):
        code = 127
    return {0: None, 2: "torch sees no GPU", 127: "that Python does not run"}.get(code, "this Python has no torch")


def run_peers(a, folder, info_path, lines_path, skipped):
    why = why_no_peers(a) if a.engines else None
    if why:
        skipped.append(f"PyTorch and Hugging Face ({why})")
        say(f"PyTorch and Hugging Face are left out: {why}")
        return
    start = time.monotonic()
    for engine in a.engines:
        argv = [a.python, os.path.join(HERE, "peers.py"), engine, "--shape", info_path, "-o", lines_path, "--device", a.device,
                "--ctx", ",".join(map(str, a.contexts))] + (["--quick"] if a.quick else [])
        limit = min(a.time_limit, a.budget - (time.monotonic() - start))
        if limit < 10:
            skipped.append(f"{engine} (no time left)")
            say(f"{engine} is left out: the {a.budget} s for peers are over")
            continue
        say(f"{engine}, {limit:.0f} s at most")
        with open(os.path.join(folder, f"{engine}.log"), "w") as log:
            try:
                code = subprocess.run(argv, stdout=log, stderr=subprocess.STDOUT, timeout=limit, check=False).returncode
            except subprocess.TimeoutExpired:
                code = "time"
        if code:
            why = f"not done after {limit:.0f} s" if code == "time" else f"exit code {code}"
            skipped.append(f"{engine} in full ({why})")
            say(f"{engine}: {why}; see {engine}.log")


def llama_bench_lines(path, gpu):
    """Lines of generation from llama-bench's JSON, an array or an object a line. Depth 0 is the program's context 1. What was
    measured on a GPU of another name than `gpu` is of another run."""
    with open(path) as f:
        text = f.read()
    try:
        tests = json.loads(text) if text.lstrip().startswith("[") else [json.loads(l) for l in text.splitlines() if l.strip()]
    except ValueError as e:
        raise SystemExit(f"bench: {path} is not what llama-bench -o json or jsonl writes: {e}") from None
    out = []
    for t in tests:
        if not t.get("n_gen") or t.get("n_prompt"):
            continue
        ms = sorted(ns / t["n_gen"] / 1e6 for ns in t.get("samples_ns") or [t["avg_ns"]])
        depth = t.get("n_depth", 0)
        where = t.get("gpu_info") or "unknown GPU"
        other = {} if gpu in where else {"other_run": f"llama-bench on {where}"}
        out.append({
            **other, "engine": f"llama.cpp {t.get('build_commit', '')}, {t.get('model_type', '')}".replace(" ,", ","),
            "kind": f"gen{t['n_gen']}", "ctx": max(depth, 1), "mean_ctx": depth + (t["n_gen"] + 1) / 2, "ms_median": ms[len(ms) // 2],
            "ms_p10": ms[len(ms) // 10], "ms_p90": ms[min(len(ms) - 1, len(ms) * 9 // 10)], "n": len(ms), "weight_bytes": t["model_size"],
            "note": f"llama-bench on {where}, {t.get('test_time', 'time unknown')}, K/V {t.get('type_k')}/{t.get('type_v')}, flash attention "
                    f"{t.get('flash_attn')}; given ids, nothing is chosen; the share is of its own file's bytes"})
    if not out:
        raise SystemExit(f"bench: {path} has no test of generation alone (llama-bench -p 0 -n 64)")
    return out


def published_lines(info, gpu):
    """Figures of other runs, where shape and GPU are the same kind."""
    shape = [info[k] for k in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab")]
    lines = table.read([os.path.join(HERE, "published.jsonl")])
    return [l for l in lines if l["shape"] == shape and l["gpu"] in gpu]


def run_line(a, info, first_lines, skipped):
    """Where and when: the GPU by nvidia-smi, else as the program names it in its notes."""
    note = next((l["note"] for l in first_lines if l["engine"] == "llmc"), "")
    gpu, driver = note.split(" on ")[-1].split(", llmc ")[0], None
    asked = output_of(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]) if info["device"] != "cpu" else None
    if asked:
        gpu, driver = [part.strip() for part in asked.splitlines()[0].split(",")][:2]
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    return {"engine": "run", "kind": "run", "date": time.strftime("%Y-%m-%d", time.gmtime(int(epoch) if epoch else None)), "gpu": gpu,
            "driver": driver, "model": info["model"], "program": f"llmc {info['version']}, plan {info['plan_fingerprint']}",
            "weight_bytes": info["stream_bytes_per_token"], "kv_bytes": info["kv_bytes_per_position"], "contexts": a.contexts,
            "skipped": skipped}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program")
    p.add_argument("-o", default="bench-results", metavar="DIR")
    p.add_argument("--ctx", default="1,1024,4096", help="contexts")
    p.add_argument("--engines", default=",".join(ENGINES), help="of " + " ".join(ENGINES) + ", or none")
    p.add_argument("--llama-bench", action="append", default=[], metavar="FILE")
    p.add_argument("--weights", help="as of the program; random:1 where it has none")
    p.add_argument("--repeats", type=int, help="launches of the program a context")
    p.add_argument("--no-published", action="store_true", help="without the figures of other runs")
    p.add_argument("--python", default=sys.executable, help="the Python that has torch and transformers")
    p.add_argument("--time-limit", type=int, default=420, metavar="S", help="of one peer")
    p.add_argument("--budget", type=int, default=1800, metavar="S", help="of all peers together; what is not done then is named")
    p.add_argument("--device", choices=["cuda", "cpu"], default="cuda", help="of the peers; cpu tries them out")
    p.add_argument("--quick", action="store_true", help="fewer repeats of the peers")
    a = p.parse_args()
    try:
        a.contexts = sorted({int(c) for c in a.ctx.split(",")})
    except ValueError:
        p.error(f"--ctx is {a.ctx!r}: a list as in 1,1024,4096")
    a.engines = [] if a.engines == "none" else a.engines.split(",")
    for engine in a.engines:
        if engine not in ENGINES:
            p.error(f"--engines: {engine!r} is none of {' '.join(ENGINES)}")
    a.program = os.path.abspath(a.program)
    return a


def main():
    a = arguments()
    os.makedirs(a.o, exist_ok=True)
    paths = {n: os.path.join(a.o, n) for n in ("info.json", "before.jsonl", "peers.jsonl", "after.jsonl", "results.jsonl")}
    for path in paths.values():
        if os.path.exists(path):
            os.remove(path)
    info = program_info(a.program)
    with open(paths["info.json"], "w") as f:
        json.dump(info, f, indent=1)
    if not a.weights and not info["weights"]["present"]:
        a.weights = "random:1"
    for path in a.llama_bench:
        llama_bench_lines(path, "")  # what is wrong with it is said before anything runs
    for c in a.contexts:
        if c > info["context"]:
            say(f"context {c} is left out: the program ends at {info['context']}")
    a.contexts = [c for c in a.contexts if c <= info["context"]]
    skipped = []
    run_program(a, info, paths["before.jsonl"])
    run_peers(a, a.o, paths["info.json"], paths["peers.jsonl"], skipped)
    run_program(a, info, paths["after.jsonl"])
    first = table.read([paths["before.jsonl"]])
    run = run_line(a, info, first, skipped)
    lines = [run] + first + (table.read([paths["peers.jsonl"]]) if os.path.exists(paths["peers.jsonl"]) else [])
    lines += table.read([paths["after.jsonl"]])
    lines += [line for path in a.llama_bench for line in llama_bench_lines(path, run["gpu"])]
    lines += [] if a.no_published else published_lines(info, run["gpu"])
    with open(paths["results.jsonl"], "w") as f:
        f.writelines(json.dumps(l) + "\n" for l in lines)
    sys.stdout.write(table.markdown(table.write(lines, a.o)))


if __name__ == "__main__":
    main()
