#!/bin/sh
# fuzz.sh FUZZ MAKE PARTS ROUNDS: changed GGUF, safetensors and config files (fuzz.c), the same ones in every run.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fuzz=$1 make=$2 rounds=$4
cp "$3"/* "$work"
mkdir "$work/hf"
printf 'include hf.single\ngguf tiny.gguf\ninclude tiny.gguf\ngguf tiny-q8_0.gguf\ninclude tiny-q8_0.gguf\n' >"$work/script"
"$make" "$work/script" "$work" || exit 1
export UBSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=detect_leaks=0
"$fuzz" "$work/tiny.gguf" - "$rounds" 1 &&
    "$fuzz" "$work/tiny-q8_0.gguf" - "$rounds" 2 &&
    "$fuzz" "$work/hf/model.safetensors" "$work/hf/config.json" "$rounds" 3 &&
    "$fuzz" "$work/hf/config.json" - "$rounds" 4
