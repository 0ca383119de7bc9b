#!/bin/bash
# slow.sh LLMC ROOT: a worker that is slow to gather what all have sent still finds it: packets of a choice are written again only
# when everybody has read them. Each worker but the one that is slow is far ahead of it.
llmc=$1 root=$2 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SIMT_SEED

# make NAME WORKER: where that worker looks many times at packets before it waits for them; -1: none does.
make() {
    rm -rf templates && cp -r "$root/templates" templates
    sed -i -E "/_gather\(const Drawer me/,/^\}/ s/^( *uint4 b\[.*)$/\1\n    for (int i = 0; me.worker == $2 \&\& i < 2000; ++i)\n        load_packet(board);/" templates/draw.cu
    cmp -s templates/draw.cu "$root/templates/draw.cu" && { echo "failed: nobody is slow"; exit 1; }
    "$llmc" compile "$root/tests/packets/model.json" --target "$root/tests/packets/target.json" --sync packets --parts 2 --arch cpu --templates templates -o "$1" -q -f || exit 1
}

say() {
    timeout 100 ./"$1" --weights random:1 --ids-in 1,2,3 -n 4 --ignore-eos --ids --temp 0.8 --min-p 0 --seed 5 --json -q "${@:2}" 2>&1 | sed 's/"timings".*//'
}

make even -1
for worker in 0 3; do
    make slow $worker
    for asked in "--top-k 0 --top-p 1" "--top-k 0 --top-p 1 --logprobs 3" "--top-k 5 --top-p 1 --logprobs 4"; do
        # shellcheck disable=SC2086
        want=$(say even $asked) got=$(say slow $asked)
        [ "$want" = "$got" ] && grep -q '"ids":\[' <<<"$got" || { echo "failed: worker $worker slow, $asked: $got"; failed=1; }
    done
done
exit $failed
