#!/usr/bin/env bash
# real.sh TEXT_IDS COUNT: real tokenizers against the libraries they come from (real.py), COUNT texts each.
# Packages are downloaded once into $LLMC_CACHE, by default ${XDG_CACHE_HOME:-~/.cache}/llmc. Where that is not possible it says why
# and exits with 77: ctest then counts the test as skipped.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
cache=${LLMC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/llmc}
python=${PYTHON:-python3}
part=
trap '[ -z "$part" ] || rm -rf "$part"' EXIT
skip() {
    echo "skipped: $1"
    exit 77
}
"$python" -m pip --version >/dev/null 2>&1 || skip "$python has no pip to download tokenizers with"
mkdir -p "$cache" || skip "$cache cannot be made"
part=$(mktemp -d "$cache/part.XXXXXX") || skip "$cache cannot be written"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
text=$cache/text-1 libraries=$cache/text-libraries-$version

# fetch WHAT PIP-ARGUMENTS..: into $part, or skip.
fetch() {
    local what=$1
    shift
    "$python" -m pip --disable-pip-version-check "$@" >"$part/log" 2>&1 ||
        skip "$what cannot be downloaded (no network?): $(grep -i error "$part/log" | tail -n 1)"
}

if [ ! -d "$text" ]; then
    name=llama_cpp_python-0.3.36
    echo "downloading tokenizers (16 MB, and 77 MB of the source package llama-cpp-python) into $cache" >&2
    fetch tokenizers download --quiet --no-deps --dest "$part" llama-models==0.3.0 dashscope==2.0.2 mistral-common==1.13.1
    if [ ! -f "$cache/$name.tar.gz" ]; then
        fetch "llama-cpp-python 0.3.36" download --quiet --no-deps --no-binary llama-cpp-python --dest "$part" llama-cpp-python==0.3.36
        mv "$part/$name.tar.gz" "$cache/$name.tar.gz"
    fi
    echo "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e  $cache/$name.tar.gz" | sha256sum --check --status ||
        skip "$cache/$name.tar.gz is another file; remove it"
    mkdir "$part/text"
    for wheel in "$part"/*.whl; do
        "$python" -m zipfile -e "$wheel" "$part/text" || skip "$wheel cannot be unpacked"
    done
    tar -xzf "$cache/$name.tar.gz" -C "$part/text" --wildcards "$name/vendor/llama.cpp/models/ggml-vocab-*" ||
        skip "$name.tar.gz has no vocabularies"
    mv -T "$part/text" "$text" 2>/dev/null || [ -d "$text" ] || skip "$text cannot be made"
fi
if [ ! -d "$libraries" ]; then
    fetch "tokenizers, sentencepiece or tiktoken" install --quiet --no-deps --target "$part/libraries" tokenizers==0.23.3 \
        sentencepiece==0.2.3 tiktoken==0.14.0
    mv -T "$part/libraries" "$libraries" 2>/dev/null || [ -d "$libraries" ] || skip "$libraries cannot be made"
fi
PYTHONPATH=$libraries "$python" -B "$here/real.py" "$1" "$text" "${@:2}"
