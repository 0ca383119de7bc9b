#!/bin/sh
# golden.sh LLMC MODELS [bless]: the graph of tiny.json, as built and fused, is NAME.want; bless rewrites these.
llmc=$1 models=$2 bless=$3
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
for stage in graph fuse; do
    "$llmc" compile "$models/tiny.json" --target tiny-gpu --emit=$stage >"$work/got" || failed=1
    if [ "$bless" = bless ]; then
        cp "$work/got" "$here/tiny.$stage.want"
    else
        diff -u "$here/tiny.$stage.want" "$work/got" || failed=1
    fi
done
exit $failed
