#!/bin/bash
# file.sh LLMC ROOT: --trace writes what events.py wants, of the last launch's last tokens; a program without -ftrace refuses by name;
# no half file stays and no input is replaced.
source "$(dirname "$0")/common.sh"

run() { # PROGRAM OPTIONS...: what it says into said
    local program=$1
    shift
    "./$program" --weights random:1 --ids-in 1,2,3 --ids --ignore-eos -q "$@" >said 2>&1
}
refused() { # CODE TEXT PROGRAM OPTIONS...
    local code=$1 text=$2 got
    shift 2
    run "$@"
    got=$?
    [ $got = "$code" ] && grep -qF -- "$text" said || complain "$* gave $got: $(cat said)"
    [ -z "$(find . -name '*.part')" ] || complain "$*: a .part file is left"
}

for style in barrier packets; do
    compile $style plain
    compile $style traced -ftrace
    for case in 1:1:1 3:64:2 9:64:4 9:3:2; do # ids, tokens a launch, tokens traced: the first id comes with the prompt
        IFS=: read -r ids launch tokens <<<"$case"
        rm -f t.json
        run traced -n "$ids" --tokens-per-launch "$launch" --trace t.json || complain "$style $case: $(cat said)"
        [ "$ids" = 1 ] && tokens=3 # the prompt's
        [ "$ids" = 1 ] && [ "$launch" = 1 ] && tokens=1
        # A launch is cut at half a second, which tokens of the other style may take here.
        [ $style = packets ] && tokens=$(python3 -c 'import json; print(min(4, json.load(open("t.json"))["otherData"]["launch_tokens"]))')
        python3 "$here/events.py" t.json traced.d/plan.json "$tokens" >said 2>&1 || complain "$style $case: $(cat said)"
    done
    refused 2 'compiled without -ftrace [E0204]' plain -n 2 --trace t.json
    grep -q 'llmc compile MODEL -ftrace -o plain' said || complain "no advice: $(cat said)"
    [ "$(head -c 1 t.json)" = '{' ] || complain "a trace is gone after a refusal"
done
refused 2 'this file is read here' traced -n 2 --trace traced
refused 2 'name a file' traced -n 2 --trace -
refused 9 'No such file' traced -n 2 --trace nowhere/t.json
./traced --info --trace t.json >said 2>&1 && complain "--trace beside --info was taken"
grep -q -- '--trace has no effect beside --info' said || complain "beside --info: $(cat said)"
exit $failed
