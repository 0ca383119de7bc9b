# stress.sh: the same ids and logits whatever the window, the ring's depth and the launch length: one factor at a time.

if ! make stress "$main" --ctx 2048; then
    :
elif ! grep -q '"feed": "bulk"' stress.d/plan.json; then
    skip stress "the plan for $target has no ring"
else
    want=$(digest stress 256)
    for n in 1 2 3 5 16 33 63; do same "64 to $n a launch" "$want" "$(digest stress 256 --tokens-per-launch $n)"; done
    for run in 1 2 3; do same "again, $run" "$want" "$(digest stress 256)"; done
    for window in 16 24 48 64 96 128 192; do trial stress 256 $window 6 64; done
    for stages in 2 3 4 5; do trial stress 256 40 $stages 64; done
    # Across every border of the first contexts, cut differently.
    want=$(digest stress 1200)
    for n in 7 50; do same "1,200 tokens, $n a launch" "$want" "$(digest stress 1200 --tokens-per-launch $n)"; done
    # Two slots a tile, and more tiles than slots: what one warp gives back another may still read.
    model far.json 1024 8 2 128 2048 4 8000 true 2048
    if make far far.json --parts 1 --sync packets; then
        want=$(digest far 1100)
        for stages in 2 3 4 5; do trial far 1100 $((stages * 32)) $stages 64; done
        for window in 16 32 96 192; do trial far 1100 $window 6 50; done
    fi
fi
