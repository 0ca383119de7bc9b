#!/bin/bash
# bless.sh: writes the goldens of all groups as they are now; `git diff` is the review. Builds into build/ first. Goldens that
# come from elsewhere (transformers, numpy) are not touched: make.py and golden.py of their groups write those.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD build=$PWD/build llmc=$PWD/build/llmc
# shellcheck disable=SC2086
cmake -S . -B build ${CMAKE_ARGS:-} >/dev/null && cmake --build build -j"$(nproc)" >/dev/null || exit 1
failed=0

bless() {
    "$@" >build/bless.log 2>&1 || { echo "failed: $*"; cat build/bless.log; failed=1; }
}

for folder in config rope safetensors weights gguf; do
    bless tests/errors/run.sh "$build/tests/errors/test_load" "$build/tests/model/make_model" "$root/tests/errors/$folder" bless
done
bless "$build/tests/target/test_target_bad" "$root/tests/target/bad" bless
for folder in errors kinds; do
    bless "$build/tests/text/test_text_load" "$root/tests/text/$folder" bless
done
bless "$build/tests/build/test_build_diagmap" "$root/tests/build/logs" bless
bless tests/graph/golden.sh "$llmc" "$root/models" bless
bless tests/plan/golden.sh "$llmc" "$root/models" bless
bless tests/plan/cases.sh "$llmc" "$root/models" "$root/tests/plan/bad" bless
bless tests/plan/cases.sh "$llmc" "$root/models" "$root/tests/plan/forms" bless
bless tests/render/golden.sh "$llmc" "$root" bless
bless tests/render/errors.sh "$llmc" "$root" bless
bless tests/bench/table.sh "$root" bless
bless tests/chat/golden.sh "$build/tests/chat/chat_render" "$root/compiler/chat/builtin" "$root/tests/chat/own" bless
bless tests/generated.sh "$llmc" bless
git status --short tests generated 2>/dev/null
exit $failed
