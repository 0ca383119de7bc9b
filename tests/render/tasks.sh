#!/bin/sh
# tasks.sh TASKS LLMC MODELS: tasks.c over many pairs, and over plans in which rows were moved by hand, so that tables are baked.
tasks=$1 llmc=$2 models=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$llmc" plan "$models/tiny.json" --target tiny-gpu --json >"$work/plan.json" || exit 1
sed -E '/"op": "(qkv|head)", "worker": 1/ s/"rows": ([0-9]+)/"rows": \1 - 1/
        /"op": "qkv", "worker": 1/ s/64 - 1/63/
        /"op": "head", "worker": 1/ s/128 - 1/127/
        /"op": "qkv", "worker": 2/ s/"row": 128, "rows": 64/"row": 127, "rows": 65/
        /"op": "head", "worker": 2/ s/"row": 256, "rows": 128/"row": 255, "rows": 129/
        /"op": "wo", "worker": 3/ d
        /"op": "wo", "worker": 2/ s/"rows": 32/"rows": 64/' "$work/plan.json" >"$work/rows.json"
sed -E '/"op": "attend", "worker": [13]/ s/"worker": [13]/"worker": 2/' "$work/plan.json" >"$work/heads.json"
for name in rows heads; do
    if cmp -s "$work/plan.json" "$work/$name.json"; then
        echo "failed: $name.json is the plan as it was"
        exit 1
    fi
done
"$tasks" "$models" "$work/rows.json" "$work/heads.json"
