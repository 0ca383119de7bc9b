# draws.sh: what the kernels draw and tell, by the logits that they draw from: each id is one that its rule leaves, log-probabilities
# are those of the logits, and launches of any length draw the same ids.
model heads-64.json 512 8 2 64 1536 4 3000 true 4096
for file in "$main" heads-64.json; do
    make drawn "$file" || continue
    for rule in "--top-k 5 --top-p 1 --min-p 0" "--top-k 0 --top-p 0.3 --min-p 0" "--top-k 0 --top-p 1 --min-p 0.5" "--top-k 40 --top-p 0.9 --min-p 0" \
        "--top-k 0 --top-p 1 --min-p 0"; do
        # shellcheck disable=SC2206
        words=($rule)
        if text=$(python3 - ${words[1]} ${words[3]} ${words[5]} 2>&1 <<'PY'
import array, json, math, os, subprocess, sys
k, p, least = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
run = ["./drawn", "--weights", "random:1", "--ids-in", "1,2,3,4,5,6,7", "-n", "12", "--ignore-eos", "--temp", "0.8", "--seed", "9", "--ids", "--json", "-q",
       "--top-k", str(k), "--top-p", str(p), "--min-p", str(least)]
def ids(*more):
    return json.loads(subprocess.run(run + list(more), capture_output=True, check=True).stdout)
told = ids("--logits", "logits", "--logprobs", "6")
assert len(told["ids"]) == len(told["logprobs"]["content"]) == 12
values = array.array("f")
values.frombytes(open("logits", "rb").read())
vocab = len(values) // 18
for n, (id, says) in enumerate(zip(told["ids"], told["logprobs"]["content"])):
    row = values[(6 + n) * vocab:(7 + n) * vocab]
    order = sorted(range(vocab), key=lambda i: (-row[i], i))
    largest = row[order[0]]
    whole = sum(math.exp(v - largest) for v in row)
    assert [t["id"] for t in says["top_logprobs"]] == order[:6], f"token {n}: the largest are {order[:6]}"
    for i, logprob in [(id, says["logprob"])] + [(t["id"], t["logprob"]) for t in says["top_logprobs"]]:
        want = row[i] - largest - math.log(whole)
        assert abs(logprob - want) < 1e-3, f"token {n}: log-probability {logprob} of {i}, not {want}"
    stays = order[:k] if k else order
    share, before = p * sum(math.exp(row[i] - largest) for i in stays), 0.0
    for i in stays:
        if i == id:
            break
        before += math.exp(row[i] - largest)
    else:
        raise AssertionError(f"token {n}: {id} is not among the {k} largest")
    assert p >= 1 or before < share * (1 + 1e-5), f"token {n}: {id} lies behind top-p"
    assert math.exp(row[id] - largest) >= least * (1 - 1e-5), f"token {n}: {id} lies under min-p"
for launch in ["1", "5", "64"]:
    assert ids("--tokens-per-launch", launch)["ids"] == told["ids"], f"launches of {launch} draw other ids"
print("12 ids,", len(set(told["ids"])), "of them different")
PY
        ); then good "$(basename "$file" .json) $rule" "$text"; else bad "$(basename "$file" .json) $rule" "$(tail -1 <<<"$text")"; fi
    done
done
# What both styles choose is what the reference chooses: all kinds of values and settings, few ids and as many as Llama's.
choices=$(dirname "$llmc")/tests/sampling/test_sampling_choices
if [ -x "$choices" ]; then
    for try in "1501 1500" "8009 400" "24001 150"; do
        vocab=${try% *} cases=${try#* }
        model choices.json 512 8 2 64 1536 1 "$vocab" false 4096
        for style in "--sync packets --workers 8" "--sync barrier"; do
            [ "$style" = "--sync barrier" ] || has_packets || continue
            # shellcheck disable=SC2086
            make choices choices.json $style || continue
            if text=$("$choices" ./choices "$cases" 2>&1); then good "choices of $vocab ids, $style" "$text"; else bad "choices of $vocab ids, $style" "$(tail -3 <<<"$text")"; fi
        done
    done
else
    skip choices "no tests/sampling/test_sampling_choices beside llmc"
fi
