#!/bin/bash
# run.sh ROOT LLMC: examples/bench/bench.py with a tiny program on the CPU: its own lines before and after, llama-bench's JSON, and
# what is not there named.
set -u
root=$1 llmc=$2 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 SOURCE_DATE_EPOCH=1000000000
bench=$root/examples/bench/bench.py
cd "$work" || exit 1
must() { # WHAT COMMAND..
    local what=$1
    shift
    "$@" >said 2>&1 || { echo "failed: $what"; cat said; failed=1; }
}
says() { # PATTERN FILE
    grep -qE -- "$1" "$2" || { echo "failed: no line like $1 in"; cat "$2"; failed=1; }
}
must 'the program is made' "$llmc" compile "$root/models/tiny.json" --target cpu -o tiny -q
must 'bench.py runs' python3 "$bench" ./tiny -o out --ctx 1,40,9999 --repeats 2 --engines none --llama-bench "$root/tests/bench/llama-bench.json"
says '^bench: context 9999 is left out: the program ends at 2048$' said
says '^# tiny on ' out/table.md
says '^2001-09-09, ' out/table.md
says '^No floor: the program measured none, as one for the CPU does\.$' out/table.md
says '^llmc was timed before and after its peers' out/table.md
says '^\| engine \| generate 64, at 1 \| generate 64, at 40 \| tok/s, 1 \| share of the floor \| one step, 1 \| one step, 40 \|$' out/table.md
says '^\| \*\*llmc\*\* \| \*\*[0-9.]+ \(4\)\*\* \| \*\*[0-9.]+ \(4\)\*\* \| \*\*[0-9,]+\*\* \|  \| \*\*[0-9.]+\*\*\* \|' out/table.md
says '^\| llama.cpp 0c1e57098, llama 1B BF16 † \| 1.292 \|  \| 774 \|' out/table.md
says '† measured in another run \(llama-bench on NVIDIA H200\)' out/table.md
! grep -q 'Hazy' out/table.md || { echo 'failed: another shape stands in the table'; failed=1; }
must 'the kinds are those of the readers' test "$(grep -c '"kind": "step_sync"' out/results.jsonl)" = 4 -a \
    "$(grep -c '"kind": "read"' out/results.jsonl)" = 0
must 'the picture is written' grep -q '<svg' out/bench.svg

refused() { # MESSAGE ARGUMENTS..
    local want=$1
    shift
    python3 "$bench" "$@" >said 2>&1 && { echo "failed: taken: $*"; failed=1; }
    says "$want" said
}
refused 'bench: .*/none: No such file or directory' ./none
refused "'fast' is none of torch-graph" ./tiny --engines fast
refused 'a list as in 1,1024,4096' ./tiny --ctx one
echo '{}' >empty.json
refused 'empty.json has no test of generation alone' ./tiny --llama-bench empty.json
echo 'no' >no.json
refused 'no.json is not what llama-bench -o json or jsonl writes' ./tiny --llama-bench no.json

must 'a Python that is not there is named' python3 "$bench" ./tiny -o none --ctx 1 --repeats 1 --python /nowhere/python3
says '^Not run: PyTorch and Hugging Face \(that Python does not run\)\.$' none/table.md
exit $failed
