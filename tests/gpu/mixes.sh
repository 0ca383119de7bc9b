# mixes.sh: as stress.sh, all factors at once, at random.
if ! make stress "$main" --ctx 2048; then
    :
elif ! grep -q '"feed": "bulk"' stress.d/plan.json; then
    skip mixes "the plan for $target has no ring"
else
    want=$(digest stress 256)
    mixes=20
    [ -z "$quick" ] || mixes=4
    RANDOM=7
    for _ in $(seq $mixes); do
        stages=$((2 + RANDOM % 5))
        trial stress 256 $((16 + 8 * (RANDOM % (stages * 4 - 1)))) $stages $((1 + RANDOM % 64))
    done
fi
