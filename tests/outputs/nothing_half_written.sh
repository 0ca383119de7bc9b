#!/bin/bash
# A full disk (here: a limit on file sizes) and Ctrl-C leave no output and no temporary file.
. "$(dirname "$0")/common.sh"
(ulimit -f 40; "$llmc" compile "$tiny" --target cpu --weights random:1 -o tiny 2> err)
status=$?
[ $status = 9 ] || fail "a full disk gives exit $status, wanted 9: $(cat err)"
grep -q 'cannot write: File too large \[E0900\]' err || fail "message: $(cat err)"
[ ! -e tiny ] && [ ! -e tiny.llmw ] || fail "a half-written program is left"
ls -A | grep -q '\.tmp\.' && fail "a temporary file is left: $(ls -A)"
"$llmc" compile "$tiny" --target cpu --emit=plan > /dev/full 2> err
[ $? = 9 ] || fail "a full stdout gives another exit: $(cat err)"

# Ctrl-C while weights of a larger model are packed. A background job of a script has SIGINT ignored.
env --default-signal=INT "$llmc" compile "$root/models/smollm2-135m.json" --target cpu --weights random:1 -o smol -q &
pid=$!
until ls smol.llmw.tmp.* > /dev/null 2>&1; do
    kill -0 $pid 2> /dev/null || fail "packing was never seen"
    sleep 0.05
done
kill -INT $pid
wait $pid
[ $? = 130 ] || fail "Ctrl-C gives exit $?"
ls -A | grep -q '\.tmp\.' && fail "Ctrl-C leaves a temporary file: $(ls -A)"
[ ! -e smol.llmw ] || fail "Ctrl-C leaves half the weights"
echo "ok"
