#!/usr/bin/env bash
# cli.sh: the command line of a program, on a stand-in GPU: products, messages and exit codes, word for word.
# usage: cli.sh GROUP STUB MAKE_PROGRAM FAKE_DRIVER_FOLDER JSON_CHECK
set -u
group=$1 stub=$2 make=$3 driver=$4 json=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LD_LIBRARY_PATH=$driver LC_ALL=C
unset CUDA_DEVICE_ORDER CUDA_VISIBLE_DEVICES
failed=0

# want CODE OUT ERR COMMAND...: OUT and ERR are the whole of stdout and stderr; statistics are masked as STATS, figures that
# depend on the clock are not looked at.
want() {
    local code=$1 out=$2 err=$3 got
    shift 3
    "$@" >out.txt 2>err.txt
    got=$?
    sed -E -i "s|$work/||g; s/^llmc: load [0-9.]+ s \([^)]*\) \| prompt ([0-9]+) tok .*\| hash [0-9a-f]{16}$/STATS \1/" err.txt
    sed -i "s|$work/||g" out.txt
    if [ "$got" != "$code" ] || [ "$(cat out.txt)" != "$out" ] || [ "$(cat err.txt)" != "$err" ]; then
        echo "failed: $*"
        echo "exit code $got, wanted $code"
        diff <(echo "$out") out.txt | sed 's/^/stdout: /'
        diff <(echo "$err") err.txt | sed 's/^/stderr: /'
        failed=1
    fi
}

# error CODE NUMBER TEXT [NOTE] -- COMMAND...
error() {
    local code=$1 number=$2 text=$3 note=
    shift 3
    if [ "$1" != -- ]; then
        note=$'\n'"note: $1"
        shift
    fi
    shift
    want "$code" "" "tiny: error: $text [E$number]$note" "$@"
}

# says TEXT FILE: a line of the file matches.
says() {
    grep -qE -- "$1" "$2" || { echo "failed: no line \"$1\" in:"; cat "$2"; failed=1; }
}

must() {
    "$@" || { echo "failed: $*"; failed=1; }
}

"$make" "$stub" tiny weights=73227 || exit 1
pack='llmc pack MODEL --into tiny   (MODEL: the Hugging Face folder or GGUF file of tiny)'
cpu='the program never runs on the CPU instead; compile with --target cpu for that'
bash -n "$(dirname "$0")/cli_$group.sh" || exit 1
. "$(dirname "$0")/cli_$group.sh"
exit $failed
