# bits.sh: one plan on this GPU and on the CPU shim: the same bits, and the same in every run and for every launch length.

for plan in "--target tiny-gpu" "--target $target"; do
    # shellcheck disable=SC2086
    if "$llmc" compile "$models/tiny.json" $plan --arch "$arch" -o gpu -q -f >log 2>&1 &&
        "$llmc" compile "$models/tiny.json" $plan --arch cpu -o cpu -q -f >log 2>&1; then
        want=$(digest cpu 40)
        same "tiny $plan on GPU and CPU" "$want" "$(digest gpu 40)"
        # shellcheck disable=SC2086
        same "tiny $plan, drawn" "$(digest cpu 12 --seed 5 --temp 0.8)" "$(digest gpu 12 --seed 5 --temp 0.8)"
        for tokens in 1 7 64; do same "tiny $plan, $tokens a launch" "$want" "$(digest gpu 40 --tokens-per-launch $tokens)"; done
    else
        bad "tiny $plan" "$(head -3 log)"
    fi
done
