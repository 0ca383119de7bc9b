# bits.sh: one plan on this GPU and on the CPU shim: the same bits, and the same in every run and for every launch length.

# told PROGRAM: a checksum of the ids and log-probabilities of a text that is drawn.
told() {
    "./$1" --weights random:1 --ids-in 1,2,3,4,5,6,7 -n 12 --ignore-eos --temp 0.8 --seed 5 --logprobs 7 --ids --json -q 2>&1 |
        python3 -c 'import json, sys, zlib; o = json.load(sys.stdin); print("%08x" % zlib.crc32(json.dumps([o["ids"], o["logprobs"]]).encode()))'
}

for plan in "--target tiny-gpu" "--target $target"; do
    # shellcheck disable=SC2086
    if "$llmc" compile "$models/tiny.json" $plan --arch "$arch" -o gpu -q -f >log 2>&1 &&
        "$llmc" compile "$models/tiny.json" $plan --arch cpu -o cpu -q -f >log 2>&1; then
        want=$(digest cpu 40)
        same "tiny $plan on GPU and CPU" "$want" "$(digest gpu 40)"
        for draw in "--temp 0.8" "--temp 0.8 --top-k 0 --top-p 0.9 --min-p 0" "--temp 1 --top-k 0 --top-p 1 --min-p 0 --repeat-penalty 1.2"; do
            # shellcheck disable=SC2086
            same "tiny $plan, $draw" "$(digest cpu 12 --seed 5 $draw)" "$(digest gpu 12 --seed 5 $draw)"
        done
        same "tiny $plan, log-probabilities" "$(told cpu)" "$(told gpu)"
        for tokens in 1 7 64; do same "tiny $plan, $tokens a launch" "$want" "$(digest gpu 40 --tokens-per-launch $tokens)"; done
    else
        bad "tiny $plan" "$(head -3 log)"
    fi
done
