#!/bin/bash
# choices.sh LLMC ROOT CHOICES: kernels of both styles choose what the reference chooses, whatever the values and the settings, in any order
# of threads.
llmc=$1 root=$2 choices=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LLMC_ARG_QUIET=1
unset SIMT_SEED
failed=0

# try NAME CASES OPTIONS..: model.json as a program.
try() {
    local name=$1 cases=$2
    shift 2
    "$llmc" compile model.json -o "$name" --weights none "$@" || exit 1
    for seed in 0 3; do
        SIMT_SEED=$seed "$choices" "./$name" "$cases" || { echo "failed: $name with seed $seed"; failed=1; }
    done
}

sed -E 's/"vocab_size": [0-9]+/"vocab_size": 1501/; s/"tie_word_embeddings": true/"tie_word_embeddings": false/; s/"num_hidden_layers": [0-9]+/"num_hidden_layers": 1/' \
    "$root/models/tiny.json" >model.json
try barrier 400 --target cpu
# Rows that are not in the workers' order.
"$llmc" plan model.json --target cpu --json |
    sed -E '/"op": "head", "worker": 0/ s/"worker": 0/"worker": 9/; /"op": "head", "worker": 2/ s/"worker": 2/"worker": 0/
        /"op": "head", "worker": 9/ s/"worker": 9/"worker": 2/' >swapped.json
try swapped 90 --plan swapped.json
for threads in 32 96 192; do
    try threads-$threads 60 --target cpu --workers 3 --threads $threads
done
sed -E 's/"vocab_size": [0-9]+/"vocab_size": 1501/; s/"num_hidden_layers": [0-9]+/"num_hidden_layers": 1/' "$root/tests/packets/model.json" >model.json
try packets 180 --target "$root/tests/packets/target.json" --sync packets --arch cpu --ctx 600
# More rows of a worker than its threads hold at once.
sed -i -E 's/"vocab_size": [0-9]+/"vocab_size": 9001/' model.json
try many-rows 30 --target "$root/tests/packets/target.json" --sync packets --arch cpu --ctx 600
exit $failed
