#!/bin/bash
# full.sh LLMC: the models of other shapes on a card of each architecture that holds them: ptxas's facts, and the hot loops, whose
# divisions by constants and slow paths of float divisions are noted: rows of less than a kilobyte leave no loop inside the rows' loop.
set -u
llmc=$1 failed=0
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for model in llama-3.2-3b llama-3.1-8b llama-2-7b tinyllama-1.1b smollm2-135m; do
    echo "$model"
    "$root/tests/cards/run.sh" "$llmc" "$work/$model" "$root/models/$model.json" rtx-3050 rtx-4090 rtx-5090 a100 t4 h200
    code=$?
    [ $code = 77 ] && exit 77
    [ $code = 0 ] || failed=1
    "$root/tests/cards/loops.sh" "$work/$model" --lenient
    code=$?
    [ $code = 0 ] || [ $code = 77 ] || failed=1
    rm -rf "${work:?}/$model"
done
exit $failed
