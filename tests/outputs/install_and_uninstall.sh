#!/bin/bash
# cmake --install with PREFIX and DESTDIR gives a program that works from there; the manifest removes it again.
. "$(dirname "$0")/common.sh"
DESTDIR=$work/stage cmake --install "$build" --prefix /opt/llmc > /dev/null || fail "install"
installed=$work/stage/opt/llmc/bin/llmc
[ "$("$installed" --version)" = "$("$llmc" --version)" ] || fail "version"
(cd / && "$installed" compile "$tiny" --target cpu -o "$work/x" -q) || fail "the installed llmc does not compile"
[ "$("$work/x" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)" = "$("$llmc" --version | grep -oE '[0-9.]+$')" ] || fail "two version numbers"
remove=$(sed -n 's/^ *\(xargs .*install_manifest.txt\).*/\1/p' "$root/README.md")
(cd "$build/.." && DESTDIR=$work/stage && eval "${remove/build\//${build##*/}/}") || fail "$remove"
[ -z "$(find stage -type f)" ] || fail "left: $(find stage -type f)"
echo "ok"
