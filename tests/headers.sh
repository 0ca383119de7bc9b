#!/bin/bash
# headers.sh ROOT [COMPILER..]: every header compiles by itself, without warnings, and is guarded by #pragma once.
root=${1:-$(dirname "$0")/..}
cd "$root" || exit 1
shift
[ $# -gt 0 ] || set -- gcc clang
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 headers=0
warnings='-Wall -Wextra -Wshadow -Wundef -Werror'

# check COMPILER HEADER
check() {
    case $2 in
    runtime/simt/simt.h) set -- "$1" "$2" -x c++ -std=c++17 -mf16c ;; # stands in front of a text; needs no other
    runtime/simt/*) set -- "$1" "$2" -x c++ -std=c++17 -mf16c ;;
    *) set -- "$1" "$2" -x c -std=gnu11 -Wmissing-prototypes -Wstrict-prototypes ;;
    esac
    local compiler=$1 header=$2
    shift 2
    [ "$(uname -m)" = x86_64 ] || set -- "${@/-mf16c/}"
    echo "#include \"$PWD/$header\"" >"$work/alone"
    # shellcheck disable=SC2086
    $compiler "$@" $warnings -Wno-unused-function -Wno-unused-const-variable -D_GNU_SOURCE -fsyntax-only "$work/alone" 2>"$work/said" ||
        { echo "failed: $header does not compile by itself with $compiler:"; head -5 "$work/said"; failed=1; }
}

for header in $(find compiler runtime -name '*.h' | sort); do
    headers=$((headers + 1))
    grep -q '^#pragma once$' "$header" || { echo "failed: $header has no #pragma once"; failed=1; }
    for compiler in "$@"; do
        ! command -v "$compiler" >/dev/null || check "$compiler" "$header"
    done
done
[ $headers -gt 40 ] || { echo "failed: only $headers headers"; failed=1; }
[ $failed -ne 0 ] || echo "$headers headers"
exit $failed
