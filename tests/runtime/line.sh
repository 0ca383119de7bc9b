#!/bin/bash
# line.sh LINE: lines from a pipe, a terminal and an editor: what is typed is what is read.
line=$1
here=$(cd "$(dirname "$0")" && pwd)
failed=0
fail() { echo "failed: $*"; failed=1; }

[ "$(printf 'one\n\ntwo' | $line)" = $'[one]\n[]\n[two]\nCLOSED' ] || fail 'a pipe'
[ "$(printf '' | $line)" = CLOSED ] || fail 'an empty pipe'
[ "$(printf 'one\n\ntwo\n' | $line all)" = $'[one\n\ntwo\n]' ] || fail 'a whole pipe'
[ "$({ printf 'a'; sleep 0.2; printf 'b\n'; } | $line)" = $'[ab]\nCLOSED' ] || fail 'a line in two parts'
head -c 200000 /dev/zero | tr '\0' x >long.txt
[ "$($line <long.txt | head -1 | wc -c)" = 200003 ] || fail 'a long line'
rm -f long.txt

if ! python3 -c 'import pty' 2>/dev/null; then
    echo 'skipped: lines on a terminal (no python3 with pty)'
    exit $failed
fi
# keys TERM WANT SCRIPT: what the program read of what is typed on a terminal.
keys() {
    printf '%s\n' "$3" | TERM=$1 python3 "$here/terminal.py" $line >out.txt || { cat out.txt; fail "$1: the terminal"; }
    [ "$(grep -aE '^(\[.*\]|[A-Z]{6,})$' out.txt)" = "$2" ] || { fail "$1: wanted $2, got:"; cat -v out.txt; }
    rm -f out.txt
}
keys dumb $'[hello]\nCLOSED' 'wait >
send hello\n
wait [hello]
wait >
send \x04'
keys dumb $'INTERRUPTED\n[b]\nINTERRUPTED\nINTERRUPTED' 'wait >
send a
wait a
send \x03
wait INTERRUPTED
wait >
send b\n
wait [b]
wait >
send \x03
wait INTERRUPTED
wait >
send \x03'
if ! python3 -c 'import ctypes; ctypes.CDLL("libedit.so.2")' 2>/dev/null; then
    echo 'skipped: the line editor (no libedit.so.2)'
    exit $failed
fi
lsan=$(mktemp)
trap 'rm -f "$lsan"' EXIT
echo leak:wcsdup >"$lsan" # libedit does not give back the name of a key's function
export LSAN_OPTIONS=suppressions=$lsan:print_suppressions=0
# Left, backspace over a character of three bytes, the line before, end of input; Ctrl-C is a key and the line is gone.
keys xterm $'[hello]\n[help!]\n[help!]\nCLOSED' 'wait >
send helo\x02l\n
wait [hello]
wait >
send help\xe4\xb8\xad\x7f!\n
wait [help!]
wait >
send \x10\n
wait [help!]
wait >
send \x04'
keys xterm $'[first]\nINTERRUPTED\n[second]\nINTERRUPTED\nINTERRUPTED' 'wait >
send first\n
wait [first]
wait >
send lost\x03
wait >
send second\n
wait [second]
wait >
send \x03
wait INTERRUPTED
wait >
send \x03'
exit $failed
