#!/usr/bin/env bash
# same_bits.sh: a program gives the same bits in every run, for every length of launch and every order of its threads,
# and those of the reference in plain C.
# usage: same_bits.sh LLMC MODEL_FOLDER CONTEXTS    (CONTEXTS: of --verify, as in 1,400)
set -u
export LC_ALL=C
llmc=$1 model=$2 contexts=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$llmc" compile "$model" --target cpu -q -o "$work/program" || exit 1
failed=0
fail() {
    echo "failed: $1"
    failed=1
}

# Logits of forced ids and of 16 that follow, one token a launch; then with threads in another order.
run="$work/program --ids-in $model/ids.txt -n 16 --ids -q --hash"
$run --logits "$work/first" >"$work/ids" 2>"$work/hash" || exit 1
$run --logits "$work/second" >"$work/ids2" 2>"$work/hash2" || exit 1
cmp "$work/first" "$work/second" && cmp "$work/ids" "$work/ids2" && cmp "$work/hash" "$work/hash2" ||
    fail "a second run"
SIMT_SEED=1 $run --logits "$work/second" >"$work/ids2" 2>"$work/hash2" || exit 1
cmp "$work/first" "$work/second" && cmp "$work/ids" "$work/ids2" || fail "threads in another order"

# Up to n tokens a launch, prompt included.
for n in 1 5 64; do
    "$work/program" --ids-in "$model/ids.txt" -n 16 --ids -q --tokens-per-launch $n >"$work/ids2" || exit 1
    cmp "$work/ids" "$work/ids2" || fail "$n tokens a launch"
done

# Bit for bit what the plain C computes from the packed weights.
"$work/program" --verify 64 --ctx "$contexts" >"$work/table" || { cat "$work/table"; fail "--verify"; }
tail -n 1 "$work/table"
tail -n 1 "$work/table" | grep -q 'all bits equal$' || fail "bits of the reference"
exit $failed
