#!/usr/bin/env bash
# real.sh: a program that llmc compiles for this machine's CPU: the stub, the package and the kernels as users get them.
# usage: real.sh LLMC MODEL.json
set -u
llmc=$1 model=$2
command -v g++ >/dev/null || command -v clang++ >/dev/null || { echo "skipped: no g++ or clang++ here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
must() {
    "$@" >out.txt 2>&1 || { echo "failed ($?): $*"; cat out.txt; failed=1; }
}

must "$llmc" compile "$model" --target cpu -o real
must ./real --info
is_for() { [ "$("./$1" --help | head -1)" = "$1: a language model compiled for the CPU (target $2) by llmc 0.1.0" ] || { "./$1" --help | head -1; failed=1; }; }
is_for real cpu
must "$llmc" compile "$model" --target tiny-gpu --arch cpu -o shim -q
is_for shim tiny-gpu
./real -p hello >out.txt 2>&1
[ $? = 3 ] && grep -q '^note: llmc pack MODEL --into real ' out.txt || { echo "no pack line:"; cat out.txt; failed=1; }

# Every position of both schedules equals the reference bit for bit.
must ./real --weights random:3 --verify 3 --ctx 1,384,385,1000
grep -q 'all bits equal$' out.txt || { echo 'bits differ:'; cat out.txt; failed=1; }
must ./real --weights random:3 --self-check

# The same ids and logits for every launch length.
must ./real --weights random:3 --ids-in 1,2,3 -n 12 --ignore-eos --ids -q
want=$(cat out.txt)
for n in 1 5 64; do
    must ./real --weights random:3 --ids-in 1,2,3 -n 12 --ignore-eos --ids -q --tokens-per-launch $n
    [ "$(cat out.txt)" = "$want" ] || { echo "launches of $n tokens: $(cat out.txt), wanted $want"; failed=1; }
done

# A CPU bounds nothing by its memory: no floor and no share of one is printed, and why not is said.
why='no floor: on a CPU a loop that reads the weights is no bound for a token'
floorless() { # PATTERN OPTION..: a line of what it prints, in which nothing else speaks of a floor
    local line=$1
    shift
    must ./real --weights random:3 "$@"
    grep -qE -- "$line" out.txt || { echo "$*: no line $line:"; cat out.txt; failed=1; }
    if sed "s/$why//; s/\"floor_ms\":null,\"floor_[a-z_]*\":[a-z]*//; s/floor_ms,floor_share$//" out.txt | grep -iE 'floor|share|%'; then
        echo "$*: a floor"
        failed=1
    fi
}
floorless "^$why\$" --bench 2 -r 2 --ctx 1
floorless '^\| 1 \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|$' --bench 2 -r 2 --ctx 1
floorless '^\{"engine":"llmc","kind":"gen2","ctx":1,.*"mean_ctx":1.5,"floor_ms":null,"floor_share":null,"samples_ms":.*'"; $why"'"\}$' --bench 2 -r 2 --ctx 1 --json
floorless '^llmc,gen2,1,[0-9.]+,[0-9.]+,[0-9.]+,2,,$' --bench 2 -r 2 --ctx 1 -o csv
floorless "^note: $why\$" --bench 2 -r 2 --ctx 1 -o csv
floorless '"context":4,"floor_ms":null,"floor_rate_measured":false' --ids-in 1,2,3 -n 2 --ignore-eos --json
floorless ' \| context 4 \| hash ' --ids-in 1,2,3 -n 2 --ignore-eos
must ./real --info
grep -q "^floor  *none: ${why#no floor: }\$" out.txt || { echo "a floor:"; cat out.txt; failed=1; }

# Odd workers: one alone, one warp, three warps.
for shape in "--workers 1" "--threads 32" "--workers 3 --threads 96"; do
    must "$llmc" compile "$model" --target cpu $shape -o odd
    must ./odd --weights random:3 --verify 2 --ctx 1,400
    grep -q 'all bits equal$' out.txt || { echo "$shape: bits differ:"; cat out.txt; failed=1; }
done
exit $failed
