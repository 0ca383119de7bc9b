#!/bin/bash
# logprobs.sh LLMC ROOT: --logprobs says the natural logarithm of the softmax over the logits as they are, of each id and of the largest,
# whatever the ids are drawn by; and asking for them changes no id.
llmc=$1 root=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LLMC_ARG_QUIET=1
failed=0
barrier='--target cpu' packets="--target $root/tests/packets/target.json --sync packets --arch cpu --ctx 600"

for style in barrier packets; do
    model=$root/models/tiny.json
    [ $style = packets ] && model=$root/tests/packets/model.json
    # shellcheck disable=SC2086
    "$llmc" compile "$model" ${!style} --weights none -o program || exit 1
    for how in '--temp 0' '--temp 1 --seed 3 --repeat-penalty 1.2 -l 9+4'; do
        for k in 0 1 4 20; do
            # shellcheck disable=SC2086
            ./program --weights random:1 --ids-in 1,2,3 -n 4 --ignore-eos --json $how --logprobs $k --logits logits >told.json &&
                ./program --weights random:1 --ids-in 1,2,3 -n 4 --ignore-eos --json $how --tokens-per-launch 64 --logprobs $k >launch.json &&
                ./program --weights random:1 --ids-in 1,2,3 -n 4 --ignore-eos --json $how >plain.json || failed=1
            python3 - "$k" <<'P' || { echo "failed: $style $how, $k"; failed=1; }
import array, json, math, sys

k = int(sys.argv[1])
told, launch, plain = (json.load(open(f)) for f in ("told.json", "launch.json", "plain.json"))
logits = array.array("f", open("logits", "rb").read())
vocab = len(logits) // (2 + 4)  # two of the prompt, then one for each id
assert told["ids"] == launch["ids"] == plain["ids"] and "logprobs" not in plain
assert told["logprobs"] == launch["logprobs"], "several tokens a launch"
assert [e["id"] for e in told["logprobs"]["content"]] == told["ids"]
for i, entry in enumerate(told["logprobs"]["content"]):
    row = logits[(2 + i) * vocab:(3 + i) * vocab]
    largest = max(row)
    norm = largest + math.log(sum(math.exp(v - largest) for v in row))
    near = lambda e: abs(e["logprob"] - (row[e["id"]] - norm)) < 2e-5 * max(1, abs(e["logprob"]))
    assert near(entry) and all(near(e) for e in entry["top_logprobs"]), entry
    order = sorted(range(vocab), key=lambda v: (-row[v], v))[:k]
    assert [e["id"] for e in entry["top_logprobs"]] == order, (entry, order)
P
        done
    done
done
exit $failed
