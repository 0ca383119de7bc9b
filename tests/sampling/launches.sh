#!/bin/bash
# launches.sh LLMC ROOT: a seed's text is the same however a launch is cut, in any order of threads, and whatever stood in the context
# before; other seeds give other texts. With penalties, whose window reaches over launches, too.
llmc=$1 root=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LLMC_ARG_QUIET=1
unset SIMT_SEED
failed=0

complain() {
    echo "failed: $*"
    failed=1
}

# run OPTIONS..: n ids behind a prompt.
run() {
    ./program --weights random:1 --ids-in "$(seq -s, 1 $prompt)" -n "$n" --ids --ignore-eos "$@" 2>&1
}

barrier='--target cpu' packets="--target $root/tests/packets/target.json --sync packets --arch cpu --ctx 600"
for style in barrier packets; do
    model=$root/models/tiny.json prompt=30 n=40
    [ $style = packets ] && model=$root/tests/packets/model.json prompt=10 n=9
    # shellcheck disable=SC2086
    "$llmc" compile "$model" ${!style} --weights none -o program || exit 1
    for how in '--temp 1.5 --top-k 0 --top-p 1 --min-p 0' '--temp 0.8' '--temp 1 --top-k 0 --top-p 0.9' \
        '--temp 1 --repeat-penalty 1.3 --repeat-last-n 9 --presence-penalty 0.4 --frequency-penalty 0.2' \
        '--temp 0 --repeat-penalty 1.5 --repeat-last-n -1' '--temp 0.9 -l 7+3 -l 8-inf'; do
        # shellcheck disable=SC2086
        whole=$(run $how --seed 5 --tokens-per-launch 64)
        [ "$(tr ',' '\n' <<<"$whole" | wc -l)" = $n ] || complain "$style $how: not $n ids: $whole"
        for launch in 1 4; do
            # shellcheck disable=SC2086
            [ "$(SIMT_SEED=$launch run $how --seed 5 --tokens-per-launch $launch)" = "$whole" ] || complain "$style $how: other ids with $launch tokens a launch"
        done
        [ $style = packets ] && continue
        # shellcheck disable=SC2086
        [ "$(run $how --seed 6 --tokens-per-launch 64)" != "$whole" ] || [[ $how = '--temp 0 '* ]] || complain "$style $how: the same ids with another seed"
    done
    ids=$(run --temp 1 -s 1 -l 8-inf --tokens-per-launch 64)
    [[ ,$ids, != *,8,* ]] || complain "$style: an id that was never to come: $ids"
    ids=$(run --presence-penalty 100 --repeat-last-n -1 --tokens-per-launch 64)
    [ "$(tr ',' '\n' <<<"$ids" | sort -un | wc -l)" = $n ] || complain "$style: an id twice: $ids"
    [ "$(run --temp 2 --top-k 1 --tokens-per-launch 64)" = "$(run --tokens-per-launch 64)" ] || complain "$style: one entry left is not the largest"
done
exit $failed
