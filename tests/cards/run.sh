#!/bin/bash
# run.sh LLMC FOLDER MODEL [CARD..]: compiles the model for every listed card, through NVRTC and nvcc, those of them that are here,
# into FOLDER/CARD-TOOL. The two give different code: one may spill where the other does not. What ptxas says of each kernel is held
# against the card: registers at the planned threads, shared memory, no spill, no local memory.
set -u
llmc=$1 work=$2 model=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
shift 3
rm -rf "$work"
mkdir -p "$work" && cd "$work" || exit 1
pairs=0
for tool in nvrtc nvcc; do
    said=$("$llmc" compile "$root/models/tiny.json" --target tiny-gpu --$tool -o probe 2>&1)
    if [ $? = 4 ] && grep -q E1000 <<<"$said"; then
        echo "without $tool, which is not on this machine: $said"
        continue
    fi
    for card in ${*:-rtx-3050 rtx-3090 rtx-4090 rtx-5090 t4 a100 h100 h200}; do
        echo "$card $tool" >>wanted
        pairs=$((pairs + 1))
    done
done
[ $pairs -gt 0 ] || { echo "skipped: neither NVRTC nor nvcc on this machine"; exit 77; }
one() { # CARD TOOL: compiles; prints its facts, or what went wrong
    if "$llmc" compile "$model" --target "$1" "--$2" --line -Xnvcc -lineinfo --save-temps="$1-$2.temps" -o "$1-$2" -q >"$1-$2.log" 2>&1; then
        python3 "$root/tests/cards/facts.py" "$1-$2.d" "$root/compiler/target/gpus/$1.json" "$1-$2" && echo "$1 $2" >>passed
    elif grep -q E0601 "$1-$2.log"; then
        echo "$1-$2 is left out: the model does not fit its memory"
        echo "$1 $2" >>passed
    else
        echo "$1-$2 FAILED"
        cat "$1-$2.log"
    fi
}
export -f one
export llmc root model
xargs -P 2 -L 1 bash -c 'one "$0" "$1"' <wanted
[ "$(wc -l <passed)" = $pairs ]
