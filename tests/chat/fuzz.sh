#!/bin/sh
# fuzz.sh FUZZ SECONDS SEED FOLDER..: fuzz.c over the templates of the folders, and of the package where it is in the cache.
fuzz=$1 seconds=$2 seed=$3
shift 3
cache=${LLMC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/llmc}/llama_cpp_python-0.3.36-templates
[ ! -d "$cache" ] || set -- "$@" "$cache"
for folder; do
    shift
    set -- "$@" "$folder"/*.jinja
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export UBSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=detect_leaks=1
"$fuzz" "$seconds" "$seed" "$@" || {
    code=$?
    [ ! -f fuzz.now ] || { echo "the template:"; cat fuzz.now; }
    exit $code
}
