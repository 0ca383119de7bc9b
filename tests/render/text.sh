#!/bin/bash
# text.sh LLMC ROOT: rules of rendered texts and of the templates they come from, over several plans:
#   no #include; inline PTX and waits only in the vocabulary (templates/device/); no division or remainder by a value that is
#   not a literal in what a token runs; no code inside Lua strings; nothing that is made anew for each block (static
#   __device__); every line at most as long as is read; the vocabulary files short.
llmc=$1 root=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
shopt -s lastpipe # what `none` finds at the end of a pipe counts here
export LLMC_ARG_QUIET=1

complain() {
    echo "failed: $*"
    failed=1
}

# The text of a pair with "template:line " in front of each line, comments and strings taken out.
mapped() {
    local model=$root/models/$1.json
    [ -f "$model" ] || model=$root/tests/render/$1.json
    "$llmc" compile "$model" --target "$2" $3 --no-build -o "$work/pair" || complain "$1 for $2 does not render"
    paste -d' ' <(cut -d' ' -f2 "$work/pair.d/decode.map") <(sed 's|//.*||' "$work/pair.d/decode.cu")
}

# none WHAT PAIR < LINES: there must be no lines.
none() {
    local found
    found=$(cat)
    [ -z "$found" ] || complain "$2: $1: $(echo "$found" | head -3)"
}

check_pair() {
    local lines=$work/lines outside=$work/outside token=$work/token
    mapped "$@" >"$lines"
    grep -v '^templates/device/' "$lines" >"$outside"
    # What a launch of decode runs; filling weights and caches by hash is not timed.
    grep -vE '^templates/(setup|fill_[a-z]+)\.cu:' "$outside" >"$token"
    [ "$(wc -l <"$token")" -gt 500 ] || complain "$1 for $2: there is hardly any text"
    grep -nE '#[[:space:]]*(include|define|if)' "$outside" | none "a preprocessor line that is no pragma" "$1 for $2"
    grep -nE '#[[:space:]]*include' "$lines" | none "an #include" "$1 for $2"
    grep -nwE 'asm' "$outside" | none "inline PTX outside the vocabulary" "$1 for $2"
    # One look at another's fault beside a wait for packets is no wait of its own.
    grep -nwE 'load_acquire|__threadfence|atomicAdd|atomicCAS|atomicExch|volatile|__nanosleep' "$outside" |
        grep -vF 'load_acquire((const unsigned*)&request->fault) == 0xffffffffu' |
        none "a wait or an atomic outside the vocabulary" "$1 for $2"
    grep -nwE 'expf|exp2f|__expf|rsqrtf|__frcp_rn|__fdividef|sinf|cosf|powf|double' "$outside" |
        none "arithmetic whose bits differ between machines" "$1 for $2"
    # Integers by literals only; of floats two divisions, which are named here.
    sed -E 's/^[^ ]* //; s/\/= sum;//; s/1\.0f \/ sqrtf\(//' "$token" | grep -nE '[/%]=? *[^0-9= ]' |
        none "a division or remainder by a value that is no literal" "$1 for $2"
    grep -nE 'for \((int|unsigned) .*[^0-9a-fx.](2[2-9][0-9]{8}|[3-9][0-9]{9}|[0-9]{11,})[^0-9]' \
        "$outside" | none "a loop that counts further than its integer" "$1 for $2"
    grep -nE '[^a-z_](static|extern) +__(device|shared|constant)__' "$outside" | none "static device data" "$1 for $2"
    grep -nE '__restrict__' "$outside" | grep -vE '(uint4|const unsigned char)\* __restrict__ weights' | none "__restrict__ on what is no weight" "$1 for $2"
    grep -nE '[[:space:]]$' "$work/pair.d/decode.cu" | none "blanks at the end of a line" "$1 for $2"
    awk 'length > 220' "$work/pair.d/decode.cu" | grep -v '^__constant__' | none "a line nobody reads" "$1 for $2"
}

check_pair tiny tiny-gpu
check_pair tiny h200 '--kv-type f32'
check_pair llama-3.2-1b rtx-3050
check_pair llama-3.2-1b h200 '--kv-type bf16'
check_pair large h200 '--ctx 1024' # 67 GB of weights: more 16-byte words than 31 bits count
check_pair smollm2-135m rtx-3050 '--workers 7 --ctx 512'
check_pair tiny tiny-gpu -ftrace
check_pair llama-3.2-1b h200 -ftrace

# Code inside the strings of Lua lines is a template of its own.
grep -nE '^ *//\$' "$root"/templates/*.cu | grep -E "\"[^\"]*;[^\"]*\"|'[^']*;[^']*'" | none "code in a Lua string" templates
grep -nE 'static +__device__' "$root"/templates/*.cu "$root"/templates/device/*.cuh | none "static __device__" templates
for file in "$root"/templates/*.cu; do
    name=$(basename "$file" .cu)
    head -1 "$file" | grep -q "^//\\$ -- $name: " || complain "$name.cu: the first line must say its job: //\$ -- $name: ..."
    grep -q '^//\$ params "' "$file" || complain "$name.cu: no params line"
done
for file in "$root"/templates/device/*; do
    head -1 "$file" | grep -q "^// $(basename "$file"): " || complain "$file: the first line must say its job"
    [ "$(wc -l <"$file")" -lt 150 ] || complain "$file has 150 lines or more"
done
exit $failed
