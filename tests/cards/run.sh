#!/bin/bash
# run.sh: llmc compile models/llama-3.2-1b.json for every listed card through NVRTC; registers and spills are in the report.
set -u
llmc=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cards="rtx-3050 rtx-3090 rtx-4090 rtx-5090 t4 a100 h100 h200"
said=$("$llmc" compile "$root/models/tiny.json" --target tiny-gpu --nvrtc -o probe 2>&1)
if [ $? = 4 ] && grep -q E1000 <<< "$said"; then
    echo "skipped: no NVRTC on this machine: $said"
    exit 77
fi
one() { # card: compiles it; prints its facts, or what went wrong
    if "$llmc" compile "$root/models/llama-3.2-1b.json" --target "$1" --nvrtc -o "$1" -q > "$1.log" 2>&1; then
        spills=$(grep -oE '"(spill|stack)_bytes": [0-9]+' "$1.d/report.json" | grep -vc ': 0$')
        registers=$(grep decode_131072 "$1.d/report.json" | grep -oE '"registers": [0-9]+')
        if [ "$spills" = 0 ]; then echo "ok $1 $registers"; else echo "SPILL $1"; fi
    else
        echo "FAILED $1"
        cat "$1.log"
    fi
}
export -f one
export llmc root
printf '%s\n' $cards | xargs -P 2 -I{} bash -c 'one {}' | tee all
[ "$(grep -c '^ok ' all)" = 8 ]
