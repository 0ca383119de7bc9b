#!/bin/bash
# loops.sh FOLDER [--lenient]: the SASS of the hot loops of what run.sh has left in FOLDER; a line a loop. sass.py says what is asked of them.
set -u
folder=$1 lenient=${2:-} failed=0
root=$(cd "$(dirname "$0")/../.." && pwd)
export PYTHONDONTWRITEBYTECODE=1
# nvdisasm lies with the toolkit, or in pip's package nvidia-cuda-nvdisasm.
find_nvdisasm() {
    local place
    for place in "$(command -v nvdisasm)" "${CUDA_HOME:-/nowhere}/bin/nvdisasm" "${CUDA_PATH:-/nowhere}/bin/nvdisasm" /usr/local/cuda/bin/nvdisasm \
        "${VIRTUAL_ENV:-/nowhere}"/lib/python3*/site-packages/nvidia/{cu13,cuda_nvdisasm}/bin/nvdisasm \
        "${HOME:-/nowhere}"/.local/lib/python3*/site-packages/nvidia/{cu13,cuda_nvdisasm}/bin/nvdisasm \
        /usr/local/lib/python3*/{site,dist}-packages/nvidia/{cu13,cuda_nvdisasm}/bin/nvdisasm; do
        # A wheel unpacked by hand leaves it without the right to run.
        [ -f "$place" ] && "$place" --version >/dev/null 2>&1 && echo "$place" && return
    done
    return 1
}
nvdisasm=$(find_nvdisasm) || {
    echo "skipped: no nvdisasm in PATH, CUDA_HOME, /usr/local/cuda and pip's folders (pip install nvidia-cuda-nvdisasm)"
    exit 77
}
ls "$folder"/*.temps/decode.cubin >/dev/null 2>&1 || { echo "skipped: nothing was compiled for a card"; exit 77; }
for cubin in "$folder"/*.temps/decode.cubin; do
    card=$(basename "$(dirname "$cubin")" .temps) # and tool
    if ! "$nvdisasm" -c -gi "$cubin" >"$folder/$card.sass" 2>"$folder/$card.said"; then
        if grep -qiE 'unsupported|unrecognized|not supported' "$folder/$card.said"; then
            echo "$card: not looked at: this nvdisasm does not know its architecture"
            continue
        fi
        echo "$card FAILED: $nvdisasm says"
        cat "$folder/$card.said"
        failed=1
        continue
    fi
    threads=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["schedules"][0]["warps"] * 32)' "$folder/$card.d/plan.json")
    python3 "$root/tests/cards/sass.py" "$folder/$card.sass" --threads "$threads" --target "$root/compiler/target/gpus/${card%-*}.json" --name "$card" $lenient || failed=1
    rm -f "$folder/$card.sass"
done
exit $failed
