#!/bin/bash
# table.sh ROOT [bless]: the table and the picture of results.jsonl are table.want and picture.want; the picture is XML without a
# script and refers to nothing outside; lines that are no results are named. `bless` writes the .want files.
set -u
root=$1 here=$1/tests/bench failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1
table=$root/examples/bench/table.py

python3 "$table" "$here/results.jsonl" -o "$work" >"$work/said" || failed=1
if [ "${2:-}" = bless ]; then
    cp "$work/table.md" "$here/table.want"
    cp "$work/bench.svg" "$here/picture.want"
fi
diff -u "$here/table.want" "$work/table.md" || failed=1
diff -u "$here/picture.want" "$work/bench.svg" || failed=1
cmp "$work/said" "$work/table.md" || failed=1
python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$work/bench.svg" || failed=1
if grep -nE '<script|href|url\(h|@import|<image' "$work/bench.svg"; then
    echo "failed: the picture is not self-contained"
    failed=1
fi

refused() { # LINES MESSAGE
    printf "$1" >"$work/bad.jsonl"
    python3 "$table" "$work/bad.jsonl" -o "$work" >"$work/said" 2>&1 && { echo "failed: taken: $1"; failed=1; }
    grep -qF -- "$2" "$work/said" || { echo "failed: wanted \"$2\", got"; cat "$work/said"; failed=1; }
}
refused '{"engine": "llmc", "kind": "gen64", "ctx": 1, "ms_median": 1}\n' 'there is no line of kind "run"'
refused '{"engine": "run", "kind": "run"}\nnone\n' 'bad.jsonl:2: this line is not JSON'
refused '{"kind": "run"}\n' 'bad.jsonl:1: this line has no engine and kind'
exit $failed
