#!/bin/bash
# sweep.sh LLMC HERE N [SEED]: N programs of made-up shapes, workers, threads and K/V types equal the reference in every bit, at
# contexts of both schedules, each by another order of threads. The same seed makes the same shapes.
llmc=$1 here=$2 n=$3
RANDOM=${4:-1}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LLMC_ARG_QUIET=1 LLMC_ARG_NO_WARN=,balance, SWEEP_CXX=${CXX:-g++}
failed=0 tried=0

# The text is compiled without optimising, in a fifth of the time; the bits are the same.
cat >cxx <<'WRAPPER'
#!/bin/bash
words=()
for word in "$@"; do [ "$word" = -O2 ] && words+=(-O0) || words+=("$word"); done
exec $SWEEP_CXX "${words[@]}"
WRAPPER
chmod +x cxx
export CXX=$work/cxx

# one VALUE..: one of them; not in a subshell, which would not advance RANDOM.
one() {
    local values=("$@")
    picked=${values[RANDOM % $#]}
}

while [ $tried -lt "$n" ]; do
    one 1 1 2 3 4; kv=$picked
    one 1 1 2 3 4 7 8; heads=$((kv * picked))
    one 2 4 6 8 10 16 20 24 32 40 64 80 96 128 256; dim=$picked
    one 8 10 12 16 24 36 64 100 128 130 264 520; hidden=$picked
    one 2 3 7 8 17 32 63 100 129 300; ffn=$picked
    one 3 5 8 33 100 257; vocab=$picked
    one 1 2 3; layers=$picked
    one 8 100 512; context=$picked
    one true false; tied=$picked
    one bfloat16 float16; dtype=$picked
    one f16 bf16 f32; type=$picked
    one 32 64 96 128 256; threads=$picked
    one 1 2 3 4 5 9 17 33; workers=$picked
    tried=$((tried + 1))
    cat >model.json <<JSON
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": $hidden, "num_attention_heads": $heads,
 "num_key_value_heads": $kv, "head_dim": $dim, "intermediate_size": $ffn, "num_hidden_layers": $layers, "vocab_size": $vocab,
 "max_position_embeddings": $context, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
 "tie_word_embeddings": $tied, "torch_dtype": "$dtype", "eos_token_id": 2, "bos_token_id": 1}
JSON
    shape="--workers $workers --threads $threads --kv-type $type: $(tr -d '\n' <model.json)"
    # shellcheck disable=SC2086
    if ! "$llmc" compile model.json --target "$here/h200-cpu.json" --workers $workers --threads $threads --kv-type $type -o program -f; then
        echo "failed: does not compile: $shape"
        failed=1
        continue
    fi
    long=$((context < 387 ? context : 387))
    said=$(SIMT_SEED=$((tried % 4)) ./program --weights random:$tried --verify 2 --ctx 3,$long 2>&1)
    case $said in
    *", all bits equal") ;;
    *) echo "failed: $shape"; echo "$said" | tail -5; failed=1 ;;
    esac
done
echo "$tried shapes"
exit $failed
