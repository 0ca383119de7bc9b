#!/bin/bash
# same.sh LLMC MODELS GROUP: programs for the CPU equal the reference in every bit, whatever the schedule, the shapes, the
# K/V type, the order in which threads run and the way tokens are cut into launches. GROUP: tiny, h200 or shapes.
llmc=$1 models=$2 group=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LLMC_ARG_QUIET=1 LLMC_ARG_NO_WARN=,balance,
unset SIMT_SEED
failed=0

complain() {
    echo "failed: $*"
    failed=1
}

# make NAME MODEL OPTIONS..
make() {
    local name=$1 model=$2
    shift 2
    "$llmc" compile "$model" -o "$name" "$@" || { complain "$name does not compile"; exit 1; }
}

# verify NAME N CONTEXTS [SEED]: N positions that end at each context have the reference's bits.
verify() {
    local said
    said=$(SIMT_SEED=${4:-0} ./"$1" --weights random:"${WEIGHTS:-1}" --verify "$2" --ctx "$3" 2>&1)
    case $said in
    *", all bits equal") ;;
    *) complain "$1 at contexts $3, seed ${4:-0}:"; echo "$said" | tail -6 ;;
    esac
}

# decode NAME N OPTIONS..: ids, from 380 forced ones on, so that the schedule changes at position 384.
decode() {
    local name=$1 n=$2
    shift 2
    ./"$name" --weights random:1 --ids-in ids -n "$n" --ids --ignore-eos "$@" 2>&1 || complain "$name does not decode $*"
}

check_tiny() {
    make tiny "$models/tiny.json" --target cpu
    verify tiny 16 1,386,1024,2048
    WEIGHTS=7 verify tiny 4 386
    for seed in 1 2 3; do
        verify tiny 4 4,386 $seed
    done
    # Positions 380 to 391 in launches of different lengths, by different orders: the same ids.
    decode tiny 12 >whole
    [ "$(tr ',' '\n' <whole | wc -l)" = 12 ] || complain "not 12 ids: $(cat whole)"
    for options in '--tokens-per-launch 1' '--tokens-per-launch 5' '--tokens-per-launch 64'; do
        # shellcheck disable=SC2086
        decode tiny 12 $options | cmp -s whole - || complain "other ids with $options"
    done
    SIMT_SEED=9 decode tiny 12 --tokens-per-launch 7 | cmp -s whole - || complain "other ids in another order"
    for kv in bf16 f32; do
        make tiny-$kv "$models/tiny.json" --target cpu --kv-type $kv
        verify tiny-$kv 4 3,386
    done
}

# The plan for an H200 but for the target's own facts.
check_h200() {
    "$llmc" plan "$models/tiny.json" --target h200 --json | grep -vE '^  "(target|made_for)"' >gpu
    "$llmc" plan "$models/tiny.json" --target "$here/h200-cpu.json" --json | grep -vE '^  "(target|made_for)"' >cpu
    cmp gpu cpu || complain "h200-cpu.json does not have the geometry of h200"
    grep -q '"workers": 132, "warps": 16' cpu || complain "the plan is not one for 132 workers"
    make tiny "$models/tiny.json" --target "$here/h200-cpu.json"
    verify tiny 2 2,386
    verify tiny 2 386 5
}

# shape NAME HIDDEN HEADS KV_HEADS HEAD_DIM FFN VOCAB OPTIONS..
shape() {
    local name=$1
    cat >"$name.json" <<JSON
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": $2, "num_attention_heads": $3,
 "num_key_value_heads": $4, "head_dim": $5, "intermediate_size": $6, "num_hidden_layers": 2, "vocab_size": $7,
 "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
 "tie_word_embeddings": true, "torch_dtype": "float16", "eos_token_id": 2, "bos_token_id": 1}
JSON
    shift 7
    make "$name" "$name.json" "$@"
    verify "$name" 3 3,387
    verify "$name" 2 386 4
}

check_shapes() {
    shape odd-sizes 72 3 3 20 100 101 --target cpu
    shape hidden-inside-a-word 100 5 5 20 92 90 --target cpu
    shape one-kv-head 96 6 1 24 200 160 --target cpu --workers 3
    shape long-heads 64 2 1 128 96 64 --target cpu --threads 128
    shape more-workers-than-rows 32 2 2 16 40 64 --target "$here/h200-cpu.json" --workers 70 --threads 64
    shape one-worker 64 4 2 16 64 96 --target cpu --workers 1
    shape one-warp 64 8 2 8 96 96 --target cpu --threads 32
}

printf '1' >ids
for i in $(seq 2 380); do printf ',%d' $((i * 37 % 512)); done >>ids
check_"$group"
exit $failed
