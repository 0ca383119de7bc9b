# stress.sh: the same ids and logits whatever the window, the ring's depth and the launch length: one factor at a time, then mixes.
# One part at every context, so that a text of any length has one order of sums.

# variant PROGRAM OUT WINDOW STAGES: its plan with another window (KiB) in every wave, and another ring.
variant() {
    python3 - "$1" "$2" "$3" "$4" <<'PY'
import json, sys
out, window, stages = sys.argv[2], int(sys.argv[3]) << 10, int(sys.argv[4])
plan = json.load(open(sys.argv[1] + ".d/plan.json"))
for s in plan["schedules"]:
    s["stages"] = stages
    for w in s["waves"]:
        if w.get("window"):
            w["window"] = w["wide"] = min(window, stages << 15)
    s["window"] = max(w["wide"] for w in s["waves"])
json.dump(plan, open(out, "w"))
PY
}

# trial PROGRAM TOKENS WINDOW STAGES LAUNCH
trial() {
    local program=$1 tokens=$2
    shift 2
    variant "$program" variant.json "$1" "$2" && "$llmc" compile --arch "$arch" --plan variant.json -o variant -q -f >log 2>&1 || { bad "$program: window $1 KiB, $2 slots" "$(head -2 log)"; return; }
    same "$program: window $1 KiB, $2 slots, $3 a launch" "$want" "$(digest variant "$tokens" --tokens-per-launch "$3")"
}

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
    mixes=20
    [ -z "$quick" ] || mixes=4
    RANDOM=7
    for _ in $(seq $mixes); do
        stages=$((2 + RANDOM % 5))
        trial stress 256 $((16 + 8 * (RANDOM % (stages * 4 - 1)))) $stages $((1 + RANDOM % 64))
    done
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
