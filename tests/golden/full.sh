#!/usr/bin/env bash
# full.sh: the long form of this folder's tests: every tiny model with every type of K/V, five prompts of SmolLM2 with
# 64 ids each, SmolLM2 from shards. Some ten minutes on two cores.
# usage: full.sh BUILD_FOLDER      (after `make llmc golden_judge golden_follow` there)
# $PYTHON, by default python3, needs torch, transformers, gguf and tokenizers for the shards; $LLMC_CACHE: see
# smollm_gguf.sh.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: full.sh BUILD_FOLDER}
llmc=$build/llmc judge=$build/tests/golden/golden_judge follow=$build/tests/golden/golden_follow
passed=0 failed=() skipped=()

# test_one NAME COMMAND...
test_one() {
    local name=$1 code
    shift
    echo "== $name"
    "$@"
    code=$?
    case $code in
    0) passed=$((passed + 1)) ;;
    77) skipped+=("$name") ;;
    *) failed+=("$name") ;;
    esac
}

for model in "$here"/models/*; do
    test_one "$(basename "$model")" "$here/tiny.sh" "$llmc" "$judge" "$model" f32 f16 bf16
done
test_one "small mistakes are seen" "$here/refuses.sh" "$llmc" "$judge" "$here/models"
for pair in gqa:1 mha:1 hidden-200:1 float16:1 two-parts:1,400; do
    test_one "same bits: ${pair%:*}" "$here/same_bits.sh" "$llmc" "$here/models/${pair%:*}" "${pair#*:}"
done
test_one SmolLM2 "$here/smollm.sh" "$llmc" "$follow" 64 capital once fibonacci deutsch many-scripts
test_one "SmolLM2 from shards" "$here/shards.sh" "$llmc" "$follow" 64 capital

echo "$passed passed, ${#skipped[@]} skipped, ${#failed[@]} failed"
[ ${#skipped[@]} = 0 ] || printf 'skipped: %s\n' "${skipped[@]}"
[ ${#failed[@]} = 0 ] || { printf 'failed: %s\n' "${failed[@]}"; exit 1; }
