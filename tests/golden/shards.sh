#!/usr/bin/env bash
# shards.sh: SmolLM2 from two float32 shards and a tokenizer.json, as transformers writes them from the GGUF file, gives the same
# weights, byte for byte behind the name of their source, and the same ids as the GGUF file itself.
# usage: shards.sh LLMC FOLLOW N PROMPT...
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
llmc=$1
gguf=$("$here/smollm_gguf.sh") || exit $?
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" "$here/shards.py" "$gguf" "$work/shards" || exit $?
for model in "$gguf" "$work/shards"; do
    "$llmc" compile "$model" --target cpu --ctx 512 -q -o "$work/$(basename "$model")" || exit 1
done
# WeightsHeader of runtime/package.h: 48 bytes, then 64 that name the source; sums and streams follow.
failed=0
for part in '-c 48' '-c +113'; do
    reader=head
    [ "$part" = '-c +113' ] && reader=tail
    cmp <($reader $part "$work/$(basename "$gguf").llmw") <($reader $part "$work/shards.llmw") || failed=1
done
[ $failed = 0 ] && echo "$(stat -c %s "$work/shards.llmw") bytes of weights: equal behind the name of their source"
LLMC_TEST_MODEL=$work/shards "$here/smollm.sh" "$@" || failed=1
exit $failed
