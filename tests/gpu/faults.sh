# faults.sh: what must not go unnoticed on a GPU: a wait that nothing ends, and the race on a ring's slots with its cure removed.

# broken NAME FILE SCRIPT PROGRAM OPTIONS..: PROGRAM from templates with one line changed.
broken() {
    local name=$1 file=$2 script=$3 program=$4
    shift 4
    rm -rf templates && cp -r "$root/templates" templates
    sed -i -E "$script" "templates/$file"
    cmp -s "$root/templates/$file" "templates/$file" && { bad "$name" "the script changes nothing"; return 1; }
    make "$program" "$@" --templates templates
}

# A worker that never arrives: within two seconds of its launch an error that names wave and worker.
stuck() {
    local name=$1 start end text
    start=$(date +%s%N)
    text=$(timeout 60 ./stuck --weights random:1 --ids-in 1,2,3 -n 3 --ids -q 2>&1)
    end=$(date +%s%N)
    if grep -qE 'waited too long: .*wave "[a-z_0-9]+" .*worker [0-9]+' <<<"$text"; then
        good "$name" "$(grep -o 'a worker waited.*' <<<"$text" | head -1), after $(((end - start) / 1000000)) ms with start-up"
    else
        bad "$name" "no worker is named: $(tail -2 <<<"$text")"
    fi
}
model small.json 512 8 2 64 1536 4 3000 true 2048
if ! has_packets; then
    skip "a packet that is not sent" "$arch has no plan with packets"
elif broken "a packet that is not sent" split_round.cu 's/^( *if \(mine) (&& \(me.thread . 3\) == 0\))/\1 \&\& me.worker != 3 \2/' stuck \
    "$main" --ctx 1024 --sync packets; then
    stuck "a packet that is not sent"
fi
if broken "a barrier that one worker leaves out" device/base.cuh 's/^( *)atomicAdd\(&request->arrived/\1if (worker != 3) atomicAdd(\&request->arrived/' stuck \
    small.json --sync barrier; then
    stuck "a barrier that one worker leaves out"
fi

# The cure: a slot is given back only when the registers that were loaded from it are filled. Without it, with the whole ring in
# flight, weights are overwritten under the loads: other logits. With it, in the same plan, the same as ever.
ring() {
    python3 - <<'PY'
import json
plan = json.load(open("ring.d/plan.json"))
for s in plan["schedules"]:
    s["window"] = s["stages"] << 15
    for w in s["waves"]:
        if w.get("window"):
            w["window"] = w["wide"] = s["window"]
json.dump(plan, open("whole.json", "w"))
PY
    "$llmc" compile --arch "$arch" --plan whole.json -o whole -q -f >log 2>&1 || { bad "the ring's cure" "$(head -2 log)"; return; }
    local want got
    want=$(digest ring 64)
    same "the whole ring in flight" "$want" "$(digest whole 64)"
    rm -rf templates && cp -r "$root/templates" templates
    sed -i -E 's/^( *)loaded\(seen\);/\1;/' templates/split.cu templates/split_attend_tile.cu
    "$llmc" compile --arch "$arch" --plan whole.json --templates templates -o race -q -f >log 2>&1 || { bad "the ring's cure" "$(head -2 log)"; return; }
    for _ in 1 2 3 4 5; do
        got=$(digest race 64)
        [ "$got" = "$want" ] || { good "the ring without its cure" "is noticed: $got"; return; }
    done
    bad "the ring without its cure" "the same bits five times"
}
if ! has_packets; then
    skip "the ring's cure" "$arch has no plan with a ring"
elif make ring "$main" --ctx 1024; then
    ring
fi
