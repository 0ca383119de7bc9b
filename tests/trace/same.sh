#!/bin/bash
# same.sh LLMC ROOT: -ftrace adds lines to the text and changes none, adds a buffer to the plan and moves none, and gives the same ids
# and logits in any order of threads.
source "$(dirname "$0")/common.sh"

for style in barrier packets; do
    compile $style plain
    compile $style traced -ftrace
    diff plain.d/decode.cu traced.d/decode.cu >text.diff
    grep -q '^> .*trace_done' text.diff || complain "$style: no stamps in the text"
    grep -q '^<' text.diff && complain "$style: lines of the text are gone: $(grep '^<' text.diff | head -3)"
    grep -qi trace plain.d/decode.cu plain.d/plan.json && complain "$style: a trace without -ftrace"
    diff plain.d/plan.json traced.d/plan.json | grep '^[<>]' | grep -vE '"name": "(trace|cache)"|"state_bytes"' &&
        complain "$style: the plan differs in more than the trace"
    for seed in 0 1; do
        for program in plain traced; do
            SIMT_SEED=$seed ./$program --weights random:1 --ids-in 1,2,3 -n 6 --ids --ignore-eos --hash --tokens-per-launch 4 -q \
                >$program.$seed 2>&1 || complain "$style: $program with seed $seed: $(cat $program.$seed)"
        done
    done
    grep -q 'hash of all ids' plain.0 || complain "$style: no hash: $(cat plain.0)"
    for other in plain.1 traced.0 traced.1; do
        cmp -s plain.0 $other || complain "$style: other bits in $other: $(cat $other)"
    done
done
exit $failed
