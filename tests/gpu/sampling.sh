# sampling.sh: what drawing an id costs over taking the largest logit, as a share of a token: medians of five texts of 512 tokens
# each, in turns. Printed, not judged.
if make 1b "$main"; then
    python3 - <<'PY'
import json, statistics, subprocess
kinds = [("greedy", []), ("--temp 0.8", ["--temp", "0.8"]), ("--temp 0.8 --top-k 40 alone", ["--temp", "0.8", "--top-k", "40", "--top-p", "1", "--min-p", "0"]),
         ("--temp 0.8 --top-p 0.95 alone", ["--temp", "0.8", "--top-k", "0", "--top-p", "0.95", "--min-p", "0"]),
         ("--temp 0.8 --top-p 0.95 alone, 16 ids far above all others", ["--temp", "0.8", "--top-k", "0", "--top-p", "0.95", "--min-p", "0"] +
          [w for i in range(16) for w in ("-l", f"{100 + 3000 * i}+{30 + i / 16:.3f}")]),
         ("--temp 0.8 from all", ["--temp", "0.8", "--top-k", "0", "--top-p", "1", "--min-p", "0"]),
         ("--temp 0.8 --repeat-penalty 1.1", ["--temp", "0.8", "--repeat-penalty", "1.1"]), ("--logprobs 5", ["--logprobs", "5"])]
times = {name: [] for name, _ in kinds}
for _ in range(5):
    for name, options in kinds:
        out = subprocess.run(["./1b", "--weights", "random:1", "--ids-in", "1,2,3", "-n", "512", "--ignore-eos", "--seed", "1", "--ids", "--json", "-q"] + options,
                             capture_output=True, text=True)
        if out.returncode:
            raise SystemExit(f"FAILED  {name}: {out.stderr.strip()}")
        times[name].append(json.loads(out.stdout)["timings"]["predicted_per_token_ms"])
greedy = statistics.median(times["greedy"])
for name, _ in kinds:
    ms = statistics.median(times[name])
    print(f"        {name}: {ms:.4f} ms a token at context 515 ({100 * (ms / greedy - 1):+.2f}%), {min(times[name]):.4f} to {max(times[name]):.4f}")
PY
    [ $? = 0 ] && good sampling "timed" || bad sampling "see above"
fi
