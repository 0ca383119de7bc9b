#!/usr/bin/env bash
# real.sh CHAT_RENDER COUNT: the templates of the package llama-cpp-python against Jinja2 (compare.py), and COUNT templates
# made at random (random_templates.py).
# Package and Jinja2 are downloaded once into $LLMC_CACHE, by default ${XDG_CACHE_HOME:-~/.cache}/llmc. Where that is not
# possible it says why and exits with 77: ctest then counts the test as skipped.
set -u
export LC_ALL=C TZ=UTC
here=$(cd "$(dirname "$0")" && pwd)
cache=${LLMC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/llmc}
count=$2
name=llama_cpp_python-0.3.36
sum=832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e
python=${PYTHON:-python3}
part=
trap '[ -z "$part" ] || rm -rf "$part"' EXIT
skip() {
    echo "skipped: $1"
    exit 77
}
"$python" -m pip --version >/dev/null 2>&1 || skip "$python has no pip to download templates and Jinja2 with"
mkdir -p "$cache" || skip "$cache cannot be made"
part=$(mktemp -d "$cache/part.XXXXXX") || skip "$cache cannot be written"

if [ ! -d "$cache/$name-templates" ]; then
    if [ ! -f "$cache/$name.tar.gz" ]; then
        echo "downloading chat templates (77 MB, source package llama-cpp-python) into $cache" >&2
        "$python" -m pip download --quiet --no-deps --no-binary llama-cpp-python --dest "$part" llama-cpp-python==0.3.36 >"$part/log" 2>&1 ||
            skip "llama-cpp-python 0.3.36 cannot be downloaded (no network?): $(grep -i error "$part/log" | tail -n 1)"
        mv "$part/$name.tar.gz" "$cache/$name.tar.gz"
    fi
    echo "$sum  $cache/$name.tar.gz" | sha256sum --check --status || skip "$cache/$name.tar.gz is another file; remove it"
    tar -xzf "$cache/$name.tar.gz" -C "$part" "$name/vendor/llama.cpp/models/templates" || skip "$name.tar.gz has no templates"
    mv "$part/$name/vendor/llama.cpp/models/templates" "$cache/$name-templates"
fi
if [ ! -d "$cache/jinja2-3.1.6" ]; then
    "$python" -m pip install --quiet --target "$part/jinja2" jinja2==3.1.6 >"$part/log" 2>&1 ||
        skip "jinja2 3.1.6 cannot be downloaded (no network?): $(grep -i error "$part/log" | tail -n 1)"
    mv "$part/jinja2" "$cache/jinja2-3.1.6"
fi
set -- "$1" "$cache/$name-templates"/*.jinja
[ $# -gt 65 ] || { echo "failed: only $(($# - 1)) templates"; exit 1; }
export PYTHONPATH=$cache/jinja2-3.1.6
"$python" -B "$here/compare.py" "$@" && "$python" -B "$here/random_templates.py" "$1" "$count"
