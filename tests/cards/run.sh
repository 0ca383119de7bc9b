#!/bin/bash
# run.sh: llmc compile models/llama-3.2-1b.json for every listed card through NVRTC and nvcc, those of them that are here;
# registers and spills are in the report. The two give different code: one may spill where the other does not.
set -u
llmc=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cards="rtx-3050 rtx-3090 rtx-4090 rtx-5090 t4 a100 h100 h200"
pairs=0
for tool in nvrtc nvcc; do
    said=$("$llmc" compile "$root/models/tiny.json" --target tiny-gpu --$tool -o probe 2>&1)
    if [ $? = 4 ] && grep -q E1000 <<< "$said"; then
        echo "without $tool, which is not on this machine: $said"
        continue
    fi
    for card in $cards; do
        echo "$card $tool"
        pairs=$((pairs + 1))
    done >> wanted
done
[ $pairs -gt 0 ] || { echo "skipped: neither NVRTC nor nvcc on this machine"; exit 77; }
one() { # card, tool: compiles it; prints its facts, or what went wrong
    if "$llmc" compile "$root/models/llama-3.2-1b.json" --target "$1" "--$2" -o "$1-$2" -q > "$1-$2.log" 2>&1; then
        spills=$(grep -oE '"(spill|stack)_bytes": [0-9]+' "$1-$2.d/report.json" | grep -vc ': 0$')
        registers=$(grep decode_131072 "$1-$2.d/report.json" | grep -oE '"registers": [0-9]+')
        if [ "$spills" = 0 ]; then echo "ok $1 $2 $registers"; else echo "SPILL $1 $2"; fi
    else
        echo "FAILED $1 $2"
        cat "$1-$2.log"
    fi
}
export -f one
export llmc root
xargs -P 2 -L 1 bash -c 'one "$0" "$1"' < wanted | tee all
[ "$(grep -c '^ok ' all)" = $pairs ]
