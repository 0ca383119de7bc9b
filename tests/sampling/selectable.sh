#!/bin/bash
# selectable.sh LLMC ROOT: an id that the tokenizer does not know is never chosen, however large its logit: neither rows that only
# fill the head's matrix up nor holes between known ids, in either style. Reference and program agree on it.
llmc=$1 root=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LLMC_ARG_QUIET=1
failed=0

complain() {
    echo "failed: $*"
    failed=1
}

mkdir barrier packets
cp "$root/models/tiny.json" barrier/config.json
cp "$root/tests/packets/model.json" packets/config.json
known=' 0 1 2 3 9 12 13 31 77 200 '
tee packets/tokenizer.json >barrier/tokenizer.json <<'T'
{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "d": 3, "e": 9, "f": 12, "g": 13, "h": 200, "i": 31, "j": 77}, "merges": []},
 "added_tokens": [], "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
 "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}}
T
options_barrier='--target cpu'
options_packets="--target $root/tests/packets/target.json --sync packets --arch cpu --ctx 600"

for style in barrier packets; do
    options=options_$style
    # shellcheck disable=SC2086
    "$llmc" compile $style ${!options} --weights random:1 -o program || exit 1
    # shellcheck disable=SC2086
    "$llmc" compile $style/config.json ${!options} --weights random:1 -o all || exit 1
    ids=$(./program --ids-in 1,2,3 -n 24 --ids --ignore-eos) || complain "$style: $ids"
    [ "$(tr ',' '\n' <<<"$ids" | wc -l)" = 24 ] || complain "$style: not 24 ids: $ids"
    for id in ${ids//,/ }; do
        [[ $known = *" $id "* ]] || complain "$style: id $id was chosen, which the tokenizer does not know"
    done
    [ "$(./all --ids-in 1,2,3 -n 24 --ids --ignore-eos)" != "$ids" ] || complain "$style: unknown ids never had the largest logit"
    ./program --verify 4 >said 2>&1 || complain "$style: $(cat said)"
done
exit $failed
