#!/bin/bash
# two_heads.sh LLMC MODELS: schedules whose heads deal rows differently have a choice each, and both are right.
llmc=$1 models=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$llmc" plan "$models/tiny.json" --target tiny-gpu --ctx 500 --json >good.json || exit 1
sed -E '/"name": "decode_500"/,$ { s/("op": "head", "worker": 2, "row": 256, "rows": )128/\1127/; s/("op": "head", "worker": 3, "row": )384, "rows": 128/\1383, "rows": 129/; }' good.json >plan.json
cmp -s good.json plan.json && { echo "failed: the heads are alike"; exit 1; }
LLMC_ARG_NO_WARN=,balance, "$llmc" compile --plan plan.json --arch cpu -o two -q || exit 1
./two --weights random:1 --verify 2 --ctx 3,390 -q || exit 1
./two --weights random:1 --ids-in 1,2,3 -n 2 --temp 1 --seed 3 --ids -q
