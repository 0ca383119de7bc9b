#!/bin/bash
# decode.sh ROOT SCRATCH LLMC COMPILER: the tiny model's rendered text decodes without a race; with any one of the
# templates' syncs taken out it does not.
root=$1 scratch=$2/decode-$(basename "$4") llmc=$3
export SIMT_CXX=$4 CXX=$root/tests/simt/sanitizing-cxx.sh SIMT_OBJECTS=$scratch/shim
export TSAN_OPTIONS=halt_on_error=1:exitcode=66
cc=${SIMT_CXX/clang++/clang}; cc=${cc/g++/gcc}
launcher='' failed=0 tried=0
setarch -R true 2>/dev/null && launcher='setarch -R' # TSan wants its addresses where they always are
rm -rf "$scratch"
mkdir -p "$SIMT_OBJECTS" && cd "$scratch" || exit 1

complain() {
    echo "failed: $*"
    failed=1
}

# decode NAME TEMPLATES: builds the program NAME and runs it; says what it said.
decode() {
    "$llmc" compile "$root/models/tiny.json" --target cpu -q -f -o "$1" --templates "$2" 2>&1 &&
        timeout 120 $launcher ./decode "$1" 2>&1
}

runtime=$(ls "$root"/runtime/*.c "$root"/runtime/reference/*.c | grep -v /main.c)
# shellcheck disable=SC2086
"$cc" -O1 -g -D_GNU_SOURCE -fsanitize=thread "$root/tests/simt/decode.c" $runtime -lm -ldl -o decode || exit 1
cp -rL "$root/templates" whole && said=$(decode good whole)
status=$?
case $said in
*"FATAL: ThreadSanitizer"*) echo "skipped: TSan does not run here: $said"; exit 77 ;;
esac
[ $status -eq 0 ] || complain "the good text ends with $status: $(echo "$said" | head -c 2000)"

# without FILE LINE SED: the same with that line of a template changed.
without() {
    rm -rf templates
    cp -rL whole templates
    chmod -R u+w templates
    sed -i "$2$3" "templates/$1"
    ! cmp -s "templates/$1" "whole/$1" || complain "$1:$2: nothing to take out"
    said=$(decode broken templates)
    status=$?
    ! cmp -s good.d/decode.cu broken.d/decode.cu || return # this model does not have the template
    tried=$((tried + 1))
    case "$status $said" in
    66*"data race"* | 8*"simt: "*) ;;
    *) complain "templates/$1:$2: $3 is not noticed: $status $(echo "$said" | head -c 500)" ;;
    esac
}

while IFS=: read -r file line _; do
    without "${file#whole/}" "$line" 's/__syncthreads();//' </dev/null
done < <(grep -n '__syncthreads();' whole/*.cu whole/device/*.cuh)
base=whole/device/base.cuh
without device/base.cuh "$(grep -n '__threadfence();' "$base" | cut -d: -f1)" 's/__threadfence();//'
poll='&request->arrived) < target'
without device/base.cuh "$(grep -n "$poll" "$base" | cut -d: -f1)" 's/load_acquire.*target;/false;/'
without device/base.cuh "$(grep -n '!__syncthreads_or' "$base" | cut -d: -f1)" 's/!__syncthreads_or(late)/!late/'
without wave.cu "$(grep -n '!grid_sync' whole/wave.cu | cut -d: -f1)" 's/!grid_sync.*worker)/false/'
[ $tried -ge 10 ] || complain "only $tried syncs were tried"
exit $failed
