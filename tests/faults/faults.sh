#!/bin/bash
# faults.sh ROOT LLMC HOST-LIBRARY [JOBS]: every barrier, fence and wait of a rendered text matters, and the shim notices when
# it is gone. The text is model.json's for target.json, whose shapes use each of them: attention has more tasks than there are
# workers, several parts in the long schedule, two warps to merge, sums by several threads a row.
#
# One line of the text is changed at a time: a __syncthreads() deleted; a grid_sync() deleted; a grid_sync() that counts but
# does not wait; inside grid_sync the fence, the wait or the last barrier. The shim must object: race (TSan), deadlock,
# divergence, or other results than the reference's. The whole text must be clean in every mode and order.
root=$1 llmc=$2 host=$3 jobs=${4:-2}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir result
simt=$root/runtime/simt
export WORK=$work HOST=$host SIMT=$simt COMPILER=${CXX:-g++} TSAN_OPTIONS=exitcode=66:halt_on_error=1 LAUNCHER=''
export CONTEXTS=3,400 POSITIONS=3
export FLAGS='-std=c++17 -g1 -ffp-contract=off -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-math-errno
    -fno-strict-aliasing -fvisibility=hidden -fPIC -Wno-unknown-pragmas'
[ "$(uname -m)" = x86_64 ] && FLAGS="$FLAGS -mavx2 -mfma -mf16c"
setarch -R true 2>/dev/null && LAUNCHER='setarch -R' # TSan wants its addresses where they always are

# build NAME MODE: the text NAME.cu with the shim and the host, for MODE plain or races.
build() {
    local kernel='' link=''
    [ "$2" = plain ] || kernel='-DSIMT_TSAN -fsanitize=thread' link=-fsanitize=thread
    # shellcheck disable=SC2086
    $COMPILER $FLAGS -O0 $kernel -include "$SIMT/simt.h" -x c++ -c "$1.cu" -o "$1.$2.o" &&
        $COMPILER $link "$1.$2.o" shim-$2/*.o "$HOST" -rdynamic -ldl -lm -o "$1.$2"
}

# objection NAME MODE SEED: what the shim says against it; nothing when it is content.
objection() {
    local said code
    said=$(SIMT_SEED=$3 timeout 120 $LAUNCHER ./"$1.$2" ./whole "$CONTEXTS" "$POSITIONS" 2>&1)
    code=$?
    [ "$code" -ne 0 ] || return
    case "$code $said" in
    66*"data race"*) echo race ;;
    8*deadlock*) echo deadlock ;;
    8*"simt: "*) echo divergence ;;
    1*"host: "*"relative error nan"*) echo NaN ;;
    1*"host: "*) echo "wrong result" ;;
    124*) echo hang ;;
    *) echo "unknown: $code $said" | head -c 600 ;;
    esac
}

# try LINE KIND: writes what objected to result/LINE-KIND.
try() {
    cd "$WORK" || exit 1
    local line=$1 kind=$2 name=$1-$2 said='' place script
    case $kind in
    barrier) script='s/__syncthreads();/;/' ;;
    last) script='s/!__syncthreads_or(late)/!late/' ;;
    fence) script='s/__threadfence();/;/' ;;
    wait) script='s/load_acquire(&request->arrived) < target/false/; s/load_acquire(arrivals) >= target/true/' ;;
    sync) script='s/if (!grid_sync(.*)$/if (false)/' ;;
    pass) script='s/if (!grid_sync(.*)$/__syncthreads(); if (threadIdx.x == 0) atomicAdd(\&request->arrived, 1u); if (false)/' ;;
    esac
    place=$(sed -n "1,${line}s/^#line \([0-9]*\) \"\(.*\)\"/\2:\1/p" whole.cu | tail -1)
    sed "${line}$script" whole.cu >"$name.cu"
    if cmp -s whole.cu "$name.cu"; then
        said="failed: nothing to delete"
    elif ! build "$name" plain 2>"$name.log"; then
        said="failed: does not compile: $(head -c 600 "$name.log")"
    else
        for seed in 0 1 2 3; do
            [ -n "$said" ] || said=$(objection "$name" plain $seed)
        done
        [ -n "$said" ] || build "$name" races 2>"$name.log" || said="failed: does not compile: $(head -c 600 "$name.log")"
        for seed in 0 1 2; do
            [ -n "$said" ] || said=$(objection "$name" races $seed)
        done
    fi
    [ -n "$said" ] || said="failed: nobody notices"
    echo "$said: line $line, $kind, at or after $place: $(sed -n "${line}p" whole.cu | sed 's/^ *//' | cut -c1-70)" >"result/$name"
    rm -f "$name".*
}
export -f build objection try

"$llmc" compile "$root/tests/faults/model.json" --target "$root/tests/faults/target.json" -q -o whole &&
    "$llmc" render whole.d/plan.json --line -o whole.cu || exit 1
for mode in plain races; do
    mkdir shim-$mode
    for file in "$simt"/*.cpp; do
        # shellcheck disable=SC2046,SC2086
        $COMPILER $FLAGS -O2 $([ $mode = plain ] || echo -DSIMT_TSAN) -c "$file" -o "shim-$mode/$(basename "$file" .cpp).o" || exit 1
    done
    build whole $mode || exit 1
    for seed in 0 1 2 3; do
        said=$(objection whole $mode $seed)
        case $said in
        '') ;;
        *FATAL:*ThreadSanitizer*) echo "skipped: TSan does not run here: $said"; exit 77 ;;
        *) echo "failed: the whole text, $mode, seed $seed: $said"; exit 1 ;;
        esac
    done
done
{
    grep -n '__syncthreads();' whole.cu | sed 's/:.*/ barrier/'
    grep -n '__syncthreads_or(late)' whole.cu | sed 's/:.*/ last/'
    grep -n '__threadfence();' whole.cu | sed 's/:.*/ fence/'
    grep -nE 'load_acquire\(.*\) (<|>=) target' whole.cu | sed 's/:.*/ wait/'
    grep -n 'if (!grid_sync(' whole.cu | sed 's/:.*/ sync/'
    grep -n 'if (!grid_sync(' whole.cu | sed 's/:.*/ pass/'
} >faults
xargs -P "$jobs" -n 2 bash -c 'try "$0" "$1"' <faults
sed 's/: line .*//' result/* | sort | uniq -c
[ "$(ls result | wc -l)" -eq "$(wc -l <faults)" ] && [ "$(wc -l <faults)" -ge 40 ] || { echo "failed: faults are missing"; exit 1; }
! cat result/* | grep -E '^(failed|hang|unknown)'
