#!/bin/bash
# sizes.sh LLMC MODEL CARD CODE_BYTES..: a program without weights has at most 1 MB, and each of its schedules at most CODE_BYTES of
# code, as the sections of its cubin say.
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
    # Name and size of the sections of the schedules' kernels.
    readelf -SW temps/decode.cubin 2>/dev/null | sed -n 's/^ *\[ *[0-9]*\] \.text\.\(decode_[0-9]*\) *PROGBITS *[0-9a-f]* *[0-9a-f]* *\([0-9a-f]*\) .*/\1 \2/p' >code
    [ -s code ] || { echo "failed: no code of a schedule in the cubin"; failed=1; }
    while read -r name hex; do
        echo "$card: $name has $((16#$hex)) bytes of code"
        [ $((16#$hex)) -le "$most" ] || { echo "failed: more than $most"; failed=1; }
    done <code
done
exit $failed
