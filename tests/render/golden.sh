#!/bin/bash
# golden.sh LLMC ROOT [bless]: the text of tiny.json for tiny-gpu, byte for byte; bless rewrites it. (generated/: generated.sh.)
llmc=$1 root=$2 bless=$3
want=$(dirname "$0")/tiny@tiny-gpu.cu.want
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$llmc" compile "$root/models/tiny.json" --target tiny-gpu --no-build -q -o "$work/tiny" || exit 1
if [ "$bless" = bless ]; then
    cp "$work/tiny.d/decode.cu" "$want"
else
    diff -u "$want" "$work/tiny.d/decode.cu" | head -60
    cmp -s "$want" "$work/tiny.d/decode.cu"
fi
