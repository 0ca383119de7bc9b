#!/bin/bash
# run.sh LLMC [--target T] [--quick] [GROUP..]: what only a GPU can show, a line a case; the last line is "N passed, N failed".
# Needs a GPU that T describes (default: native) and python3; no weights, nothing is downloaded. Groups, in order: bits verify
# shapes draws stress mixes faults cards sanitizer speed explain sampling start. All of them take some 20 minutes on an H200; --quick leaves most sizes out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../.. target=native quick='' groups=() passed=0 failed=0
llmc=$(realpath "${1:?run.sh LLMC}")
shift
while [ $# -gt 0 ]; do
    case $1 in
    --target) target=$2; shift ;;
    --quick) quick=1 ;;
    -*) echo "run.sh: unknown option $1" >&2; exit 2 ;;
    *) groups+=("$1") ;;
    esac
    shift
done
[ ${#groups[@]} -gt 0 ] || groups=(bits verify shapes draws stress mixes faults cards sanitizer speed explain sampling start)
# To try the scripts themselves where there is no GPU: another architecture (cpu), another main model.
main=${LLMC_TEST_MAIN:-$root/models/llama-3.2-1b.json} arch=${LLMC_TEST_ARCH:-}
[ -n "$arch" ] || arch=$("$llmc" targets "$target" | sed -n 's/^ *sm  *\([0-9]*\) .*/sm_\1/p')
[ -n "$arch" ] || { echo "run.sh: $target is no GPU with an architecture" >&2; exit 2; }
models=$root/models work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset LLMC_ARG_QUIET SIMT_SEED

# good NAME TEXT; bad NAME TEXT
good() { passed=$((passed + 1)); echo "ok      $1: $2"; }
bad() { failed=$((failed + 1)); echo "FAILED  $1: $2"; }
skip() { echo "skipped $1: $2"; }

# Can the target's plans end their waves in packets?
has_packets() { "$llmc" plan "$main" --target "$target" --sync packets >/dev/null 2>&1; }

# same NAME WANT GOT
same() { if [ "$2" = "$3" ]; then good "$1" "$2"; else bad "$1" "$3, wanted $2"; fi; }

# make PROGRAM MODEL OPTIONS..: compiled for the target.
make() {
    local out=$1 model=$2
    shift 2
    "$llmc" compile "$model" --target "$target" --arch "$arch" -o "$out" -q -f "$@" >"$out.log" 2>&1 || { bad "compile $out $*" "$(head -3 "$out.log")"; return 1; }
}

# check PROGRAM POSITIONS CONTEXTS NAME: program against the reference.
check() {
    local text
    text=$("./$1" --weights random:1 --verify "$2" --ctx "$3" -q 2>&1)
    if grep -q '^passed: ' <<<"$text"; then
        good "$4 --verify $2 --ctx $3" "$(grep '^passed: ' <<<"$text")"
    else
        bad "$4 --verify $2 --ctx $3" "$(grep -E 'FAILED|error' <<<"$text" | head -4 | tr '\n' ';')"
    fi
}

# digest PROGRAM TOKENS OPTIONS..: the hashes of ids and logits of a text.
digest() {
    local program=$1 tokens=$2
    shift 2
    "./$program" --weights random:1 --ids-in 1,2,3,4,5,6,7 -n "$tokens" --ignore-eos --ids --hash -q "$@" 2>&1 |
        sed -n 's/.*hash of all ids \([0-9a-f]*\), of all logits \([0-9a-f]*\).*/\1 \2/p; s/.*error: /error: /p' | head -1
}

# variant PROGRAM OUT WINDOW STAGES: its plan with another window (KiB) in every wave, and another ring; behind the first slots the
# same window, of an odd multiple of 8 KiB the whole ring.
variant() {
    python3 - "$1" "$2" "$3" "$4" <<'PY'
import json, sys
out, window, stages = sys.argv[2], int(sys.argv[3]) << 10, int(sys.argv[4])
plan = json.load(open(sys.argv[1] + ".d/plan.json"))
for s in plan["schedules"]:
    s["stages"] = stages
    for w in s["waves"]:
        if w.get("window"):
            w["window"] = min(window, stages << 15)
            w["wide"] = stages << 15 if window % 16384 else w["window"]
    s["window"] = max(w["wide"] for w in s["waves"])
json.dump(plan, open(out, "w"))
PY
}

# trial PROGRAM TOKENS WINDOW STAGES LAUNCH
trial() {
    local program=$1 tokens=$2
    shift 2
    variant "$program" variant.json "$1" "$2" && "$llmc" compile --arch "$arch" --plan variant.json -o variant -q -f >log 2>&1 || { bad "$program: window $1 KiB, $2 slots" "$(head -2 log)"; return; }
    same "$program: window $1 KiB, $2 slots, $3 a launch" "$want" "$(digest variant "$tokens" --tokens-per-launch "$3")"
}

# model FILE HIDDEN HEADS KV_HEADS HEAD_DIM FFN LAYERS VOCAB TIED CONTEXT
model() {
    cat >"$1" <<JSON
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": $2, "num_attention_heads": $3,
 "num_key_value_heads": $4, "head_dim": $5, "intermediate_size": $6, "num_hidden_layers": $7, "vocab_size": $8,
 "max_position_embeddings": ${10}, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
 "tie_word_embeddings": $9, "torch_dtype": "bfloat16", "eos_token_id": 2, "bos_token_id": 1}
JSON
}

for group in "${groups[@]}"; do
    [ -f "$here/$group.sh" ] || { echo "run.sh: no group $group" >&2; exit 2; }
    start=$SECONDS
    # shellcheck source=/dev/null
    . "$here/$group.sh"
    echo "== $group: $((SECONDS - start)) s"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
