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
must ./real --weights random:3 --bench 2 -r 2 --ctx 1

# Odd workers: one alone, one warp, three warps.
for shape in "--workers 1" "--threads 32" "--workers 3 --threads 96"; do
    must "$llmc" compile "$model" --target cpu $shape -o odd
    must ./odd --weights random:3 --verify 2 --ctx 1,400
    grep -q 'all bits equal$' out.txt || { echo "$shape: bits differ:"; cat out.txt; failed=1; }
done
exit $failed
