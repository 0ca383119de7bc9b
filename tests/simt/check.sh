#!/bin/bash
# check.sh ROOT SCRATCH COMPILER WHAT: the shim's kernels as they are and broken, by one compiler, in one mode.
#   good    results and bits under several orders; one seed is one order
#   faults  broken kernels that the shim itself, or the poison it spreads, must give away
#   memory  good kernels under ASan and UBSan are clean; accesses out of bounds are not
#   races   good kernels under TSan are clean; a missing barrier, fence or wait is not
# Prints one line a failed check and exits with 1 if there was one; with 77 and the reason where the mode cannot run.
root=$1 scratch=$2/$4-$(basename "$3") cxx=$3 what=$4
rm -rf "$scratch"
mkdir -p "$scratch" && cd "$scratch" || exit 1
failed=0
cflags='-g -D_GNU_SOURCE'
flags='-std=c++17 -O2 -g -mavx2 -mfma -mf16c -ffp-contract=off -fno-exceptions -fno-rtti -fno-threadsafe-statics
       -fno-math-errno -fno-strict-aliasing -fvisibility=hidden -fPIC -Wno-unknown-pragmas'
[ "$(uname -m)" = x86_64 ] || flags=${flags/-mavx2 -mfma -mf16c/}
kernel_flags='' shim_flags='' launcher=''
case $what in
memory)
    kernel_flags='-fsanitize=address,undefined -fno-sanitize-recover=undefined' shim_flags=-fsanitize=address
    export ASAN_OPTIONS=detect_leaks=1:exitcode=99 UBSAN_OPTIONS=print_stacktrace=0 ;;
races)
    flags=${flags/-O2/-O1} # not -O0: see sanitizing-cxx.sh
    kernel_flags='-DSIMT_TSAN -fsanitize=thread' shim_flags=-DSIMT_TSAN
    export TSAN_OPTIONS=exitcode=66:halt_on_error=1
    # TSan wants its addresses where they always are.
    setarch -R true 2>/dev/null && launcher='setarch -R' ;;
esac
cc=${cxx/clang++/clang}; cc=${cc/g++/gcc}
link_flags=${kernel_flags#-DSIMT_TSAN}

complain() {
    echo "failed: $*"
    failed=1
}

# The text as a rendered one comes: vocabulary and kernels in one file, each line under its own name.
text() {
    for file in templates/device/{request,numbers,base}.cuh tests/simt/{kernels,wrong}.cu; do
        echo "#line 1 \"$file\""
        cat "$root/$file"
    done
}

# build NAME [SED SCRIPT]: the program NAME, from the text after the script, which must change it.
build() {
    text >whole.cu
    sed "${2:-}" whole.cu >"$1.cu"
    [ -z "${2:-}" ] || ! cmp -s whole.cu "$1.cu" || complain "$1: nothing to break"
    # shellcheck disable=SC2086
    "$cxx" $flags $kernel_flags -include "$root/runtime/simt/simt.h" -x c++ -c "$1.cu" -o "$1.o" &&
        "$cxx" $link_flags "$1.o" host.o shim_*.o -lm -o "$1" || complain "$1 does not compile"
}

# expect NAME KERNEL CODE WORDS..: the program's kernel ends with the code (x: any but 0) and says all of the words.
expect() {
    local program=$1 kernel=$2 code=$3 got
    shift 3
    said=$(timeout 120 $launcher "./$program" "$kernel" ${blocks:-4} 2>&1)
    got=$?
    [ "$got" -ne 124 ] || complain "$program $kernel hangs"
    if [ "$code" = x ] && [ "$got" -eq 0 ] || { [ "$code" != x ] && [ "$got" -ne "$code" ]; }; then
        complain "$program $kernel ends with $got, not $code: $(echo "$said" | head -c 1500)"
    fi
    for words in "$@"; do
        case $said in
        *"$words"*) ;;
        *) complain "$program $kernel does not say \"$words\" but: $(echo "$said" | head -c 1500)" ;;
        esac
    done
}

# The line of a file that has a mark: FILE:LINE.
line_of() {
    echo "$1:$(grep -n "$2" "$root/$1" | head -1 | cut -d: -f1)"
}

compile_fixed_parts() {
    # shellcheck disable=SC2086
    "$cc" $cflags $link_flags -c "$root/tests/simt/host.c" -o host.o || exit 1
    for file in "$root"/runtime/simt/*.cpp; do
        # shellcheck disable=SC2086
        "$cxx" $flags $shim_flags -Wall -Wextra -Wshadow -Werror -c "$file" -o "shim_$(basename "$file").o" || exit 1
    done
}

kernels='two_waves ring talk numbers turns hand_on arguments'
base=templates/device/base.cuh kernel_file=tests/simt/kernels.cu wrong_file=tests/simt/wrong.cu

check_good() {
    build good
    for kernel in $kernels; do
        for seed in 0 1 2 3 12345; do
            export SIMT_SEED=$seed
            expect good "$kernel" 0
            [ "$kernel" = turns ] || echo "$said"
        done
        unset SIMT_SEED
        blocks=3 expect good "$kernel" 0
    done >hashes.all
    grep failed: hashes.all && failed=1
    sort -u hashes.all | grep -v failed: | diff -u "$root/tests/simt/hashes.want" - || complain "other bits than before"
    for seed in 0 7 8; do
        SIMT_SEED=$seed ./good turns >"order$seed" && SIMT_SEED=$seed ./good turns | cmp -s - "order$seed" ||
            complain "seed $seed is not one order"
    done
    cmp -s order0 order7 || cmp -s order7 order8 && complain "seeds 7 and 8 give one order"
    blocks=132 expect good two_waves 0
}

check_faults() {
    build good
    expect good leaves_early 8 'simt: block ' 'thread 37 returned, but others wait at' \
        "$(line_of $wrong_file '__syncthreads()')"
    expect good leaves_warp 8 'simt: ' "$(line_of $wrong_file '__syncwarp()')" 'returned'
    expect good sums_in_both_branches 8 'simt: warp diverged' "$(line_of $wrong_file 'warp_sum(v)')" \
        "$(line_of $wrong_file 'warp_sum(-v)')"
    expect good reads_a_lane_outside 8 'simt: ' "$(line_of $wrong_file 'threadIdx.x, 8)')" \
        'reads lane 8, which is not in the mask'
    expect good not_in_its_mask 8 'simt: ' 'lane 9 is not in its own mask'
    for seed in 0 1 2 3; do
        SIMT_SEED=$seed expect good polls_for_ever 8 'simt: deadlock' "$(line_of $wrong_file 'load_acquire((unsigned')"
    done
    expect good writes_behind_shared 8 'simt: block 0 wrote behind its 1024 bytes of shared memory'
    expect good copies_beside_shared 8 'simt: ' "$(line_of $wrong_file 'cp_async16(state')" \
        'not in its 1024 bytes of shared memory'
    expect good copies_askew 8 'simt: ' "$(line_of $wrong_file 'weights + 4')" 'multiples of 16'
    expect good traps 8 "simt: $(line_of $wrong_file '__trap')" 'block 2, thread 3'
    expect good overflows_its_stack 139

    build unstaged '/break staged/s/__syncthreads();//'
    expect unstaged two_waves 1 'failed'
    build no_grid_barrier '/break grid/s/!grid_sync.*)/false)/'
    expect no_grid_barrier two_waves 1 'failed'
    build divergent_sum '/break sum/s/acc = /if (lane < 16) acc = /'
    expect divergent_sum two_waves 8 'simt: '  "$(line_of $kernel_file 'break sum')" "$base:"
    build branched_barrier '/break staged/s/__syncthreads/if (threadIdx.x < 40) __syncthreads/'
    expect branched_barrier two_waves 8 'simt: ' "$(line_of $kernel_file 'break staged')"
    build wrong_target '/break grid/s/gridDim.x/gridDim.x + 1/'
    expect wrong_target two_waves 8 'simt: deadlock' 'blocks 0..3' \
        "thread 0 at $(line_of $base 'load_acquire(&request') in load_acquire" \
        "called from $(line_of $kernel_file 'break grid')" 'threads 1..63 at'
    build no_wait '/break wait/s/cp_async_wait<1>();//'
    expect no_wait ring 1 'wanted'
    build no_wait_at_all '/break wait/s/cp_async_wait<1>();//; /break last/s/cp_async_wait<0>();//'
    expect no_wait_at_all ring 8 'simt: ' 'cp.async outstanding'
    build short_wait '/break wait/s/<1>/<2>/'
    expect short_wait ring 1 'wanted'
    build not_arrived '/break arrived/s/__syncthreads();//'
    expect not_arrived ring 1 'wanted'
}

check_memory() {
    build good
    for kernel in $kernels; do
        expect good "$kernel" 0
        SIMT_SEED=5 expect good "$kernel" 0
    done
    expect good writes_behind_shared 99 heap-buffer-overflow "$(line_of $wrong_file '\[1024\] = 1')"
    build stride '/break stride/s/row \* words/row * (words + 1)/'
    expect stride two_waves 99 heap-buffer-overflow
    build askew '/break stride/s/weights + /(const uint4*)((const char*)weights + 4) + /'
    expect askew two_waves x 'misaligned address'
}

check_races() {
    build good
    blocks=3
    said=$(timeout 120 $launcher ./good hand_on 3 2>&1) || case $said in
    *FATAL*) echo "skipped: TSan does not run here: $said"; exit 77 ;;
    esac
    for kernel in $kernels; do
        expect good "$kernel" 0
        SIMT_SEED=5 expect good "$kernel" 0
    done
    build unstaged '/break staged/s/__syncthreads();//'
    expect unstaged two_waves x 'data race' "$kernel_file:"
    build no_grid_barrier '/break grid/s/!grid_sync.*)/false)/'
    expect no_grid_barrier two_waves x 'data race' "$kernel_file:"
    build no_fence "/^__device__.*grid_sync/,/^}/s/__threadfence();//"
    expect no_fence two_waves 66 'data race' "$kernel_file:"
    build no_poll '/load_acquire(&request->arrived)/s/load_acquire(&request->arrived) < target/false/'
    expect no_poll two_waves x 'data race' "$kernel_file:"
    build no_last_barrier '/__syncthreads_or(late)/s/!__syncthreads_or(late)/!late/'
    expect no_last_barrier two_waves x 'data race'
    build no_hand_fence '/break hand/s/__threadfence();//'
    expect no_hand_fence hand_on 66 'data race' "$kernel_file:"
    build no_warp_sync '/break warp/s/__syncwarp();//'
    expect no_warp_sync talk x 'data race' "$kernel_file:"
    build no_block_sync '/break block/s/__syncthreads();//'
    expect no_block_sync talk x 'data race' "$kernel_file:"
    build not_arrived '/break arrived/s/__syncthreads();//'
    expect not_arrived ring x 'data race' "$kernel_file:"
}

compile_fixed_parts
"check_$what"
exit $failed
