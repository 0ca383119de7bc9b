#!/bin/bash
# peers.sh ROOT LLMC: each peer of examples/bench at a tiny size on the CPU, checked and timed, where python3 has torch and
# transformers; the split attention in Triton's interpreter, where that is there too.
set -u
root=$1 llmc=$2 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1
cd "$work" || exit 1
if ! python3 -c 'import torch, transformers' 2>/dev/null; then
    echo "skipped: python3 has no torch and transformers"
    exit 77
fi
must() { # WHAT COMMAND..
    local what=$1
    shift
    "$@" >said 2>&1 || { echo "failed: $what"; cat said; failed=1; }
}
must 'the program is made' "$llmc" compile "$root/models/tiny.json" --target cpu -o tiny -q
must 'the peers run' python3 "$root/examples/bench/bench.py" ./tiny -o out --ctx 1,40 --repeats 2 --device cpu
for engine in torch-graph torch-max-autotune hf-eager hf-reduce-overhead; do
    must "$engine at both contexts, step and generation" test "$(grep -c "\"engine\": \"$engine\"" out/peers.jsonl)" = 4
    [ -s said ] && cat "out/$engine.log"
done
if python3 -c 'import triton' 2>/dev/null; then
    must 'the split attention is that of PyTorch' env TRITON_INTERPRET=1 PYTHONPATH="$root/examples/bench:${PYTHONPATH:-}" \
        python3 "$root/tests/bench/attention_check.py"
fi
exit $failed
