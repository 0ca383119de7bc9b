#!/bin/sh
# fuzz.sh FUZZ LLMC MODELS ROUNDS: changed plans of one and of two schedules (fuzz.c), the same ones in every run.
fuzz=$1 llmc=$2 models=$3 rounds=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$llmc" plan "$models/tiny.json" --target tiny-gpu --ctx 64 --json >one.json || exit 1
"$llmc" plan "$models/tiny.json" --target cpu --json >two.json || exit 1
export UBSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=detect_leaks=0
"$fuzz" one.json "$rounds" 1 && "$fuzz" two.json "$rounds" 2 || {
    [ ! -f fuzz.failed.json ] || cat fuzz.failed.json
    exit 1
}
