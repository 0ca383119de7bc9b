#!/bin/sh
# golden.sh LLMC MODELS [bless]: tables and plan.json of a few pairs, byte for byte; bless rewrites them.
llmc=$1 models=$2 bless=$3
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# compare WANT MODEL OPTIONS..
compare() {
    want=$here/$1 model=$models/$2
    shift 2
    "$llmc" plan "$model" "$@" >"$work/got" || failed=1
    if [ "$bless" = bless ]; then
        cp "$work/got" "$want"
    else
        diff -u "$want" "$work/got" || failed=1
    fi
}

compare tiny@tiny-gpu.table.want tiny.json --target tiny-gpu
compare tiny@tiny-gpu.json.want tiny.json --target tiny-gpu --json
compare tiny@tiny-gpu-f32-redzone.table.want tiny.json --target tiny-gpu --ctx 64 --kv-type f32 --redzone
compare llama-3.2-1b@rtx-3050.table.want llama-3.2-1b.json --target rtx-3050
compare llama-3.2-1b@h200.table.want llama-3.2-1b.json --target h200 --why --ctx 1,1024,4096,131072
compare smollm2-135m@rtx-4090.table.want smollm2-135m.json --target rtx-4090
exit $failed
