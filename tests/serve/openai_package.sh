#!/usr/bin/env bash
# openai_package.sh PYTHON: prints a folder with the openai package for this Python, which is fetched once (some 40 MB with what
# it needs) into $LLMC_CACHE, by default ${XDG_CACHE_HOME:-~/.cache}/llmc. Where that is not possible it says why on stderr
# and exits with 77.
set -u
export LC_ALL=C
python=$1
cache=${LLMC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/llmc}
skip() {
    echo "skipped: $1" >&2
    exit 77
}

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || skip "no Python"
folder=$cache/openai-python$version
if [ ! -d "$folder" ]; then
    mkdir -p "$cache" || skip "$cache cannot be made"
    part=$(mktemp -d "$cache/part.XXXXXX") || skip "$cache cannot be written"
    trap 'rm -rf "$part"' EXIT
    "$python" -m pip --version >/dev/null 2>&1 || skip "no $folder, and $python has no pip to fetch it"
    echo "fetching the Python package openai into $folder" >&2
    "$python" -m pip install --quiet --disable-pip-version-check --target "$part/openai" openai >"$part/log" 2>&1 ||
        skip "the package openai cannot be fetched (no network?): $(grep -i error "$part/log" | tail -n 1)"
    mv -T "$part/openai" "$folder" || skip "$folder cannot be written"
fi
echo "$folder"
