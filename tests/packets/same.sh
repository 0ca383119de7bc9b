#!/bin/bash
# same.sh LLMC FOLDER: model.json for four multiprocessors of a Hopper, on this machine's cores. Sums of matrix instructions have an
# order of their own, so the reference is near and not the same; but the program's own bits are the same whatever the order of
# threads (SIMT_SEED), however many tokens a launch has, and in every context.
llmc=$1 here=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

complain() {
    echo "failed: $*"
    failed=1
}

for parts in '' '--parts 1' '--parts 2'; do
    # shellcheck disable=SC2086
    "$llmc" compile "$here/model.json" --target "$here/target.json" --sync packets --arch cpu --ctx 600 $parts -o program -q || exit 1
    ./program --weights random:1 --verify 2 --ctx 1,130,600 -q >said 2>&1 || complain "--verify $parts: $(cat said)"
    grep -q '^passed: 6 positions' said || complain "three contexts were to pass $parts: $(cat said)"
done

# shape HEAD_DIM HEADS KV_HEADS TYPE: the other forms of attention: two slots a tile, a head or half a head a column, few columns used.
shape() {
    sed -E "s/(\"head_dim\": )[0-9]+/\1$1/; s/(\"num_attention_heads\": )[0-9]+/\1$2/; s/(\"num_key_value_heads\": )[0-9]+/\1$3/" \
        "$here/model.json" >shape.json
    "$llmc" compile shape.json --target "$here/target.json" --sync packets --arch cpu --ctx 300 --kv-type "$4" --parts $((4 / $3)) -o shaped -q || exit 1
    ./shaped --weights random:1 --verify 2 --ctx 1,300 -q >said 2>&1 || complain "--verify of $*: $(cat said)"
    grep -q '^passed: 4 positions' said || complain "two contexts of $* were to pass: $(cat said)"
}
shape 128 2 2 f16
shape 128 4 1 bf16
shape 128 6 1 f16
shape 64 7 1 bf16
shape 64 8 1 f16

# Shares of the merge that are no even ones: 48 packets of a head for 32 workers, 8 of which have none; one worker attends to nothing.
sed -E '/"sms"/,/}/ s/("value": )4/\133/' "$here/target.json" >many.json
sed -E 's/("num_attention_heads": )[0-9]+/\13/; s/("num_key_value_heads": )[0-9]+/\11/; s/("vocab_size": )[0-9]+/\116000/' "$here/model.json" >shape.json
"$llmc" compile shape.json --target many.json --sync packets --arch cpu --ctx 300 --parts 32 -o many -q || exit 1
./many --weights random:1 --verify 2 --ctx 1,300 -q >said 2>&1 || complain "--verify of 32 parts: $(cat said)"
grep -q '^passed: 4 positions' said || complain "two contexts of 32 parts were to pass: $(cat said)"

ids=$(seq -s, 1 20)
for seed in 0 1; do
    for tokens in 1 5 64; do
        SIMT_SEED=$seed ./program --weights random:1 --ids-in "$ids" -n 8 --ids --ignore-eos --hash --tokens-per-launch $tokens -q 2>&1 |
            grep -v '^$' >"said.$seed.$tokens"
        [ -s "said.$seed.$tokens" ] || complain "nothing was said with seed $seed, $tokens tokens a launch"
        cmp -s said.0.1 "said.$seed.$tokens" || complain "other bits with seed $seed, $tokens tokens a launch: $(cat "said.$seed.$tokens")"
    done
done
exit $failed
