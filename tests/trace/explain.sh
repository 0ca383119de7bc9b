#!/bin/bash
# explain.sh LLMC ROOT: --explain adds up as parts.py wants, in both styles and at contexts on both sides of a schedule's border; its
# table says the same; with --trace the last launch's stamps come too; a program without -ftrace refuses by name.
source "$(dirname "$0")/common.sh"

for style in barrier packets; do
    compile $style plain
    compile $style traced -ftrace
    ./traced --weights random:1 --explain --ctx 1,500 -r 2 --json --trace t.json >explain.json 2>said || complain "$style: $(cat said)"
    python3 "$here/parts.py" explain.json traced.d/plan.json 1 500 >said 2>&1 || complain "$style: $(cat said)"
    tokens=$(sed -nE 's/.*"launch_tokens":([0-9]+).*/\1/p' t.json)
    python3 "$here/events.py" t.json traced.d/plan.json "$tokens" >said 2>&1 || complain "$style: $(cat said)"
    ./traced --weights random:1 --explain --ctx 600 -r 1 >table 2>said || complain "$style: $(cat said)"
    for line in '^qkv +2 ' '^token ' '^exposed latency( +[0-9.]+){3}%$' '^launch and host +- ' '^context 600 on .*: measured [0-9.]+ us a token' \
        '^  3\. [a-z]+: [0-9.]+ us over its floor: '; do
        grep -qE "$line" table || complain "$style: no line $line: $(cat table)"
    done
    ./plain --weights random:1 --explain >said 2>&1
    [ $? = 2 ] && grep -qF -- '--explain: this program was compiled without -ftrace [E0204]' said || complain "$style: $(cat said)"
done
./traced --weights random:1 --explain --ctx 601 >said 2>&1
[ $? = 6 ] || complain "a context over the program's gives another code: $(cat said)"
./traced --weights random:1 --explain -n 3 >said 2>&1
[ $? = 2 ] && grep -q -- '-n has no effect beside --explain' said || complain "-n: $(cat said)"
exit $failed
