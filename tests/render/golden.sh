#!/bin/bash
# golden.sh LLMC ROOT [bless]: rendered texts, byte for byte: tiny.json for tiny-gpu, and all that stands in generated/.
llmc=$1 root=$2 bless=$3
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
export LLMC_ARG_QUIET=1

# compare WANT GOT
compare() {
    if [ "$bless" = bless ]; then
        cmp -s "$1" "$2" || cp "$2" "$1"
    else
        diff -u "$1" "$2" | head -60
        cmp -s "$1" "$2" || failed=1
    fi
}

"$llmc" compile "$root/models/tiny.json" --target tiny-gpu --no-build -o "$work/tiny" || failed=1
compare "$here/tiny@tiny-gpu.cu.want" "$work/tiny.d/decode.cu"
pairs=0
for folder in "$root"/generated/*@*; do
    pair=$(basename "$folder")
    "$llmc" compile "$root/models/${pair%@*}.json" --target "${pair#*@}" --no-build -o "$work/pair" || failed=1
    for file in "$folder"/*; do
        compare "$file" "$work/pair.d/$(basename "$file")"
    done
    pairs=$((pairs + 1))
done
[ $pairs -gt 0 ] || { echo "failed: nothing in generated/"; failed=1; }
exit $failed
