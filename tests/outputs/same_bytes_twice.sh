#!/bin/bash
# Two builds of the same input give equal bytes: program, weights, folder.
. "$(dirname "$0")/common.sh"
for dir in a b; do
    mkdir $dir
    (cd $dir && "$llmc" compile "$tiny" --target cpu --weights random:1 -o tiny -q) || fail "compile in $dir"
    sleep 1.1 # another second on the clock
done
diff -r a b || fail "two builds differ"
echo "ok: $(find a -type f | wc -l) files, the same bytes"
