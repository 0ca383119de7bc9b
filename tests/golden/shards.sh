#!/usr/bin/env bash
# shards.sh: SmolLM2 from two float32 shards and a tokenizer.json, as transformers writes them from the GGUF file,
# gives the same weights, byte for byte behind the name of their source, and the same ids as the GGUF file itself.
# usage: shards.sh LLMC FOLLOW N PROMPT...
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
llmc=$1
gguf=$("$here/smollm_gguf.sh") || exit $?
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TQDM_DISABLE=1 PYTHONDONTWRITEBYTECODE=1 "${PYTHON:-python3}" "$here/shards.py" "$gguf" "$work/shards" || exit $?
"$llmc" compile "$gguf" --target cpu --ctx 512 -q -o "$work/from_gguf" &&
    "$llmc" compile "$work/shards" --target cpu --ctx 512 -q -o "$work/from_shards" || exit 1
# WeightsHeader of runtime/package.h: 48 bytes, then 64 that name the source; sums and streams follow.
failed=0
cmp -n 48 "$work/from_gguf.llmw" "$work/from_shards.llmw" || failed=1
cmp -i 112 "$work/from_gguf.llmw" "$work/from_shards.llmw" || failed=1
[ $failed = 0 ] &&
    echo "$(stat -c %s "$work/from_shards.llmw") bytes of weights: equal but for the name of their source"
LLMC_TEST_MODEL=$work/shards "$here/smollm.sh" "$@" || failed=1
exit $failed
