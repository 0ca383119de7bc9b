#!/bin/bash
# sizes.sh LLMC MODEL CARD CODE_BYTES..: a program without weights has at most 1 MB, and the kernel of its schedules at most CODE_BYTES of code, as
# the section of its cubin says.
set -u
llmc=$1 model=$2 failed=0
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
while [ $# -ge 2 ]; do
    card=$1 most=$2
    shift 2
    "$llmc" compile "$model" --target "$card" --save-temps=temps -o program -q >said 2>&1
    code=$?
    [ $code != 4 ] || ! grep -q E1000 said || { echo "skipped: neither nvcc nor NVRTC on this machine"; exit 77; }
    [ $code = 0 ] || { cat said; exit 1; }
    bytes=$(stat -c %s program)
    echo "$card: the program has $bytes bytes"
    [ "$bytes" -le 1000000 ] || { echo "failed: more than 1 MB"; failed=1; }
    hex=$(readelf -SW temps/decode.cubin 2>/dev/null | sed -n 's/^ *\[ *[0-9]*\] \.text\.decode *PROGBITS *[0-9a-f]* *[0-9a-f]* *\([0-9a-f]*\) .*/\1/p')
    schedules=$(grep -c '"name": "decode_' program.d/plan.json)
    [ -n "$hex" ] && [ "$schedules" -gt 0 ] || { echo "failed: no code of the schedules in the cubin"; exit 1; }
    echo "$card: the kernel of $schedules schedules has $((16#$hex)) bytes of code"
    [ $((16#$hex)) -le "$most" ] || { echo "failed: more than $most"; failed=1; }
done
exit $failed
