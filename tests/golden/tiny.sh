#!/usr/bin/env bash
# tiny.sh: a tiny model, compiled for the CPU or $LLMC_TEST_TARGET, against what transformers computed with it.
# usage: tiny.sh LLMC JUDGE MODEL_FOLDER KV_TYPE...
set -u
export LC_ALL=C
llmc=$1 judge=$2 model=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
vocab=$(sed -n 's/.*"vocab_size": \([0-9]*\).*/\1/p' "$model/config.json")
failed=0
for kv in "$@"; do
    "$llmc" compile "$model" --target "${LLMC_TEST_TARGET:-cpu}" --kv-type "$kv" -o "$work/$kv" 2>"$work/log" || { cat "$work/log"; exit 1; }
    "$work/$kv" --ids-in "$model/ids.txt" -n 0 -q --logits "$work/logits" || exit 1
    "$judge" "$kv" "$vocab" "$model/$kv.logits" "$work/logits" || failed=1
    [ "$kv" = f32 ] || continue
    # Many tokens a launch, the prompt's included; the ids that the kernel itself chooses.
    ids=$("$work/$kv" --ids-in "$model/ids.txt" -n 16 -q --ids)
    [ "$ids" = "$(cat "$model/greedy.txt")" ] || { echo "ids $ids, reference $(cat "$model/greedy.txt")"; failed=1; }
done
exit $failed
