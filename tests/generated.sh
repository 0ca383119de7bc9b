#!/bin/bash
# generated.sh: generated/ is what llmc makes from models/ now, byte for byte. `generated.sh LLMC bless` rewrites it.
set -eu
llmc=$1 mode=${2:-check}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
status=0
for pair in llama-3.2-1b@rtx-3050 llama-3.2-1b@h200; do
    model=${pair%@*} target=${pair#*@}
    mkdir -p "generated/$pair"
    for kind in plan:plan.txt plan.json:plan.json svg:plan.svg cuda:decode.cu; do
        file=generated/$pair/${kind#*:}
        made=$(mktemp)
        "$llmc" compile "models/$model.json" --target "$target" --emit="${kind%%:*}" -o "$made"
        if [ "$mode" = bless ]; then
            cmp -s "$made" "$file" || cp "$made" "$file"
            chmod 644 "$file"
        elif ! diff -u "$file" "$made" | head -40 | grep . ; then
            echo "ok $file"
        else
            echo "differs: $file (tests/bless.sh rewrites it)"
            status=1
        fi
        rm -f "$made"
    done
done
exit $status
