#!/bin/bash
# sanitized.sh ROOT LLMC HOST-LIBRARY MODE: the rendered text of tiny.json on the shim under sanitizers is clean and equals the
# reference: MODE memory: ASan and UBSan, with what lies between the plan's buffers poisoned; MODE races: TSan.
# Each mode proves that it sees: a text that is broken in one place must be reported.
root=$1 llmc=$2 host=$3 mode=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
export LLMC_ARG_QUIET=1 TSAN_OPTIONS=exitcode=66:halt_on_error=1 ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=halt_on_error=1
flags='-std=c++17 -g1 -ffp-contract=off -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-math-errno
    -fno-strict-aliasing -fvisibility=hidden -fPIC -Wno-unknown-pragmas'
[ "$(uname -m)" = x86_64 ] && flags="$flags -mavx2 -mfma -mf16c"
case $mode in
memory) kernel='-fsanitize=address,undefined -fno-sanitize-recover=all' shim=-fsanitize=address link=-fsanitize=address,undefined ;;
races) kernel='-DSIMT_TSAN -fsanitize=thread' shim=-DSIMT_TSAN link=-fsanitize=thread ;;
esac
launcher=''
setarch -R true 2>/dev/null && launcher='setarch -R' # TSan wants its addresses where they always are
compiler=${CXX:-g++}

complain() {
    echo "failed: $*"
    failed=1
}

# build NAME [SED SCRIPT]: the text after the script, which must change it.
build() {
    sed "${2:-}" text.cu >"$1.cu"
    [ -z "${2:-}" ] || ! cmp -s text.cu "$1.cu" || complain "$1: nothing to break"
    # shellcheck disable=SC2086
    $compiler $flags -O0 $kernel -include "$root/runtime/simt/simt.h" -x c++ -c "$1.cu" -o "$1.o" &&
        $compiler $link "$1.o" shim/*.o "$host" -rdynamic -ldl -lm -o "$1" || complain "$1 does not compile"
}

run() {
    SIMT_SEED=$2 timeout 300 $launcher ./"$1" ./program "$3" 3 "$gaps" 2>&1
}

# caught NAME WORDS: the broken text is reported with these words.
caught() {
    local said
    said=$(run "$1" 0 3,390)
    case $said in
    *"$2"*) ;;
    *) complain "$1 is not reported: $(echo "$said" | head -c 600)" ;;
    esac
}

"$llmc" compile "$root/models/tiny.json" --target cpu --redzone -o program &&
    "$llmc" render program.d/plan.json --line -o text.cu || exit 1
# From the end of each buffer to the next one: at:bytes,..
gaps=$(grep '"space": "global"' program.d/plan.json | sed -E 's/.*"at": ([0-9]+), "bytes": ([0-9]+),.*/\1 \2/' | sort -nu |
    awk 'NR > 1 && $1 > end { printf "%s%d:%d", n++ ? "," : "", end, $1 - end } { end = $1 + $2 }')
[ "$(echo "$gaps" | tr ',' '\n' | wc -l)" -ge 10 ] || complain "no gaps between buffers: $gaps"
mkdir shim
for file in "$root"/runtime/simt/*.cpp; do
    # shellcheck disable=SC2086
    $compiler $flags -O2 $shim -c "$file" -o "shim/$(basename "$file" .cpp).o" || exit 1
done
build whole
for seed in 0 4; do
    said=$(run whole $seed 3,390)
    code=$?
    case "$code $said" in
    *FATAL:*ThreadSanitizer*) echo "skipped: TSan does not run here: $said"; exit 77 ;;
    0*) [ "$seed" = 0 ] && first=$said
        [ "$said" = "$first" ] || complain "seed $seed has other bits" ;;
    *) complain "the whole text, seed $seed, ends with $code: $(echo "$said" | head -c 1500)" ;;
    esac
done
if [ "$mode" = memory ]; then
    build long_row '/y\[row + 0\] = v;/s/row + 0/row + (row == 0 ? 256 : 0)/' # behind the 256 rows of qkv
    caught long_row use-after-poison
    build long_shared '/xs\[(i & 1) \* 16 + (i >> 1)\] = v;/s/xs\[/xs[4096 + /'
    caught long_shared AddressSanitizer
    build askew '/float\* sums = (float\*)(arena + /s/(arena + \([0-9]*\))/((char*)(arena + \1) + 2)/'
    caught askew 'misaligned address'
else
    build no_barrier '/^ *__syncthreads();$/s/__syncthreads();//'
    caught no_barrier 'data race'
fi
exit $failed
