#!/bin/bash
# draw.sh LLMC ROOT: pictures for 4, 20 and 128 workers show what picture.py wants; a trace is drawn over the plan that it is of, and any
# other file is refused by name.
llmc=$1 root=$2 here=$2/tests/timeline
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C LLMC_ARG_QUIET=1
failed=0

complain() {
    echo "failed: $*"
    failed=1
}

# refused CODE TEXT OPTIONS...
refused() {
    local code=$1 text=$2
    shift 2
    "$llmc" compile "$@" -o refused.svg >said 2>&1
    [ $? = "$code" ] && grep -qF -- "$text" said || complain "$*: $(cat said)"
    [ ! -e refused.svg ] || complain "$*: a picture was drawn"
}

for pair in tiny:tiny-gpu llama-3.2-1b:rtx-3050 llama-3.2-1b:h200 smollm2-135m:h200; do
    IFS=: read -r model target <<<"$pair"
    "$llmc" plan "$root/models/$model.json" --target "$target" --json >plan.json || exit 1
    "$llmc" compile "$root/models/$model.json" --target "$target" --emit=svg -o picture.svg || complain "$pair is not drawn"
    python3 "$here/picture.py" picture.svg plan.json planned >said 2>&1 || complain "$pair: $(cat said)"
    "$llmc" compile "$root/models/$model.json" --target "$target" --emit=svg | cmp -s - picture.svg || complain "$pair: twice is not the same"
done

"$llmc" compile "$root/models/tiny.json" --target cpu --ctx 64 -ftrace -o traced || exit 1
./traced --weights random:1 --ids-in 1,2,3 -n 3 --ids --ignore-eos -q --trace t.json >said 2>&1 || complain "no trace: $(cat said)"
"$llmc" compile --plan traced.d/plan.json --emit=svg --trace t.json -o picture.svg || complain "a trace is not drawn"
python3 "$here/picture.py" picture.svg traced.d/plan.json measured >said 2>&1 || complain "with a trace: $(cat said)"
"$llmc" compile "$root/models/tiny.json" --target cpu --ctx 64 -ftrace --emit=svg --trace t.json | cmp -s - picture.svg ||
    complain "the same plan, made again, gives another picture"

refused 7 'the trace is of plan' "$root/models/tiny.json" --target cpu --ctx 64 --emit=svg --trace t.json
refused 2 '--trace t.json: has no effect without --emit=svg' "$root/models/tiny.json" --target cpu --emit=plan --trace t.json
refused 3 'nowhere.json' --plan traced.d/plan.json --emit=svg --trace nowhere.json
refused 3 'is no trace that a program of llmc wrote' --plan traced.d/plan.json --emit=svg --trace traced.d/plan.json
head -c 3000 t.json >cut.json
refused 3 'cut.json' --plan traced.d/plan.json --emit=svg --trace cut.json
python3 - <<'P'
import json
t = json.load(open("t.json"))
last = max(i for i, e in enumerate(t["traceEvents"]) if e["name"] == "wo")
for name, events in (("hole", t["traceEvents"][:last] + t["traceEvents"][last + 2:]),
                     ("worker", t["traceEvents"] + [dict(t["traceEvents"][last], tid=4)]),
                     ("wave", t["traceEvents"] + [dict(t["traceEvents"][last], args={"token": 0, "layer": 2, "wave": 3})])):
    json.dump(dict(t, traceEvents=events), open(name + ".json", "w"))
P
refused 3 'worker 3 has no wave 8 of token' --plan traced.d/plan.json --emit=svg --trace hole.json
refused 3 'tid' --plan traced.d/plan.json --emit=svg --trace worker.json
refused 3 'the plan has no such wave' --plan traced.d/plan.json --emit=svg --trace wave.json
exit $failed
