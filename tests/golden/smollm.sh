#!/usr/bin/env bash
# smollm.sh: SmolLM2-135M-Instruct on the CPU against transformers: ids of prompts, and the first N ids that follow.
# usage: smollm.sh LLMC FOLLOW N PROMPT...    (PROMPT: a file of smollm/ without .txt)
#
# With float32 K/V the program decodes greedily from the text of the prompt, and all ids must be equal. With float16
# K/V it is forced along the reference's ids, and must choose each of them where the reference's two best logits are
# further apart than 0.05. $LLMC_TEST_MODEL may name another form of the same model than the GGUF file,
# $LLMC_TEST_TARGET another target than the CPU.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
llmc=$1 follow=$2 n=$3
shift 3
model=${LLMC_TEST_MODEL:-$("$here/smollm_gguf.sh")} || exit $?
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
vocab=49152
failed=0

line() { # NAME FILE
    sed -n "s/^$1 //p" "$2"
}

for kv in f32 f16; do
    "$llmc" compile "$model" --target "${LLMC_TEST_TARGET:-cpu}" --kv-type $kv --ctx 512 -q -o "$work/$kv" || exit 1
done
for name in "$@"; do
    golden=$here/smollm/$name.txt
    want=$(line ids "$golden" | cut -d, -f1-"$n")
    echo "$name"
    got=$("$work/f32" -p "$(line prompt "$golden")" -n "$n" --ids --ignore-eos --verbose-prompt \
        2>"$work/said") || failed=1
    prompt=$(sed -n 's/^llmc: prompt [0-9]*: \([0-9]*\) .*/\1/p' "$work/said" | paste -sd,)
    [ "$prompt" = "$(line prompt_ids "$golden")" ] ||
        { echo "ids of the prompt $prompt, reference $(line prompt_ids "$golden")"; failed=1; }
    [ "$got" = "$want" ] || { echo "ids $got, reference $want"; failed=1; }
    sed -n 's/^llmc: load/f32 K\/V: load/p' "$work/said"

    forced=$(line prompt_ids "$golden"),$(line ids "$golden" | cut -d, -f1-$((n - 1)))
    "$work/f16" --ids-in "$forced" -n 0 -q --logits "$work/logits" || failed=1
    printf 'f16 K/V: '
    "$follow" "$golden" "$n" 0.05 $vocab "$work/logits" || failed=1
done
exit $failed
