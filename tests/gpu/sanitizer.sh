# sanitizer.sh: compute-sanitizer's memcheck and racecheck on small models in both styles.
tool=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
model tiny-heads.json 256 4 2 64 512 2 500 false 2048
for style in barrier packets; do
    [ -n "$tool" ] || { skip "compute-sanitizer" "it is not installed"; break; }
    [ "$style" = barrier ] || has_packets || continue
    # Packets want a model whose share of a worker does not fit in the ring: a target of few multiprocessors.
    card=tiny-gpu
    [ $style = barrier ] || card=$root/tests/packets/target.json
    # racecheck lets an arrival at a barrier order what its own thread did, not what other lanes did before their warp met: for it
    # every lane gives a slot back itself.
    rm -rf templates && cp -r "$root/templates" templates
    for check in memcheck racecheck; do
        "$llmc" compile tiny-heads.json --target "$card" --sync $style --arch "$arch" --ctx 300 --templates templates -o small -q -f >log 2>&1 ||
            { bad "$style" "$(head -2 log)"; break; }
        for ask in "--temp 0" "--temp 0.8 --seed 3 --top-k 5 --json --logprobs 3" "--temp 0.8 --seed 3 --top-k 0 --repeat-penalty 1.1 --json --logprobs 3"; do
            # shellcheck disable=SC2086
            timeout 300 "$tool" --tool $check ./small --weights random:1 --ids-in 1,2,3 -n 4 --ids --ignore-eos -q $ask >said 2>&1
            if grep -qE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards' said; then good "$check, $style, $ask" "clean"; else bad "$check, $style, $ask" "$(grep -E 'SUMMARY|Error|Race' said | head -3 | tr '\n' ';')"; fi
        done
        sed -i -E 's/mbarrier_init\(empty \+ i, 8u\)/mbarrier_init(empty + i, 256u)/; /void give_slot/,/^}/ s/if \(me\.lane == 0\)/if (true)/' templates/split.cu
        cmp -s templates/split.cu "$root/templates/split.cu" && bad "$style" "slots are given back as before"
    done
done
