#!/bin/bash
# faults.sh LLMC ROOT: every wait of the split style matters, and the shim notices when it is gone: templates with one line changed
# give another program, which has to fail by results, by a deadlock or by the shim's word.
llmc=$1 root=$2 here=$2/tests/packets
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# compile NAME: with the templates as they are in templates/.
compile() {
    "$llmc" compile "$here/model.json" --target "$here/target.json" --sync packets --arch cpu --ctx 300 --parts 2 --templates templates \
        -o "$1" -q
}

cp -r "$root/templates" good
cp -r good templates
compile program || exit 1
./program --weights random:1 --verify 2 --ctx 140 --tokens-per-launch 2 -q >said 2>&1 || { echo "failed: the whole text: $(cat said)"; exit 1; }

# fault NAME FILE SCRIPT
fault() {
    rm -rf templates && cp -r good templates
    sed -i -E "$3" "templates/$2"
    cmp -s "good/$2" "templates/$2" && { echo "failed: $1 changes nothing"; failed=1; return; }
    compile broken >said 2>&1 || { echo "failed: $1 does not compile: $(tail -3 said)"; failed=1; return; }
    for seed in 0 1 2 3; do
        SIMT_SEED=$seed timeout 40 ./broken --weights random:1 --verify 2 --ctx 140 --tokens-per-launch 2 -q >said 2>&1 || { echo "$1: noticed"; return; }
    done
    echo "failed: $1 is not noticed"
    failed=1
}

fault "tile not waited for" split.cu 's/    await_quarter\(.*$/;/'
fault "input not waited for" split_input.cu 's/if \(__all_sync\(0xffffffffu, \$\(table.concat.*$/if (true)/'
fault "queries not waited for" split_attend.cu 's/if \(__all_sync\(0xffffffffu, p0.w.*$/if (true)/'
fault "parts not waited for" split_merge.cu 's/if \(__all_sync\(0xffffffffu, p.w == me.tag.*$/if (true)/'
fault "candidates not waited for" split_select.cu 's/\|\| __any_sync\(0xffffffffu, wait_is_over\(me, polls\)\)\)/|| true)/'
fault "keys not waited for" split_attend_tile.cu 's/await_quarter\(.*of K$/;/'
fault "values not waited for" split_attend_tile.cu 's/await_quarter\(.*of V$/;/'
fault "slot not waited for" split_feed.cu 's/while \(!mbarrier_ready\((.*) \+ f.slot,/while (false \&\& !mbarrier_ready(\1 + f.slot,/'
fault "block does not meet before its sums" split_round.cu 's/consumers_meet\(\);/;/'
fault "block does not meet before its candidate" split_best.cu 's/consumers_meet\(\);/;/'
fault "block does not meet after the choice" split_select.cu 's/    consumers_meet\(\);/    ;/'
fault "block does not meet before the scores" split_attend.cu '0,/consumers_meet\(\);/ s/consumers_meet\(\);/;/'
fault "tag not counted on" split_wave.cu 's/^(me.tag = .*)\(\$\(number\)\);/\10u;/'

# A ring of two slots and a slow warp 0: the warps without rows in the last of three tiles must not give its slot back before all
# have given it back from the first. The shim minds a warp that comes twice.
slow() {
    SIMT_SEED=0 timeout 100 ./two --weights random:1 --verify 2 --ctx 300 -q >said 2>&1
}
rm -rf templates && cp -r good templates
"$llmc" compile "$here/model.json" --target "$here/target.json" --sync packets --arch cpu --ctx 300 --parts 1 --emit plan.json -o plan.json -q || exit 1
sed -E 's/"stages": [0-9]+/"stages": 2/; s/"(window|wide)": ([0-9]{6,}|[7-9][0-9]{4})/"\1": 65536/g' plan.json >two.json
python3 - <<'PY' || exit 1
path = "templates/split_attend_tile.cu"
text = open(path).read()
last = text.rindex("give_slot(me);")
wait = "for (int i = 0; me.warp == 0 && i < 400; ++i)\n    mbarrier_ready((unsigned long long*)(arena + $(full_at)) + me.slot * 4, me.phase);\n"
open(path, "w").write(text[:last] + wait + text[last:])
PY
sed -i 's/query_scale ring_at"/query_scale ring_at full_at"/' templates/split_attend.cu
"$llmc" compile --arch cpu --plan two.json --templates templates -o two -q || exit 1
slow || { echo "failed: a slow warp: $(tail -2 said)"; failed=1; }
sed -i -E 's/^await_quarter/if (row0 < rows) await_quarter/' templates/split_attend_tile.cu
"$llmc" compile --arch cpu --plan two.json --templates templates -o two -q -f || exit 1
if slow; then echo "failed: a warp that waits only for its own rows is not noticed"; failed=1; else echo "waits for own rows alone: noticed"; fi
exit $failed
