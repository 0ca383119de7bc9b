# speed.sh: measured beside predicted, by context and by schedule. No time is judged here but for order: of the candidates of --why,
# those that are predicted to be over 3% apart must not be measured the other way round.

# times PROGRAM CONTEXTS REPEATS: "CONTEXT MS SHARE" a line; verified by --bench itself.
times() {
    rm -f times.jsonl
    "./$1" --weights random:1 --bench -r "$3" --ctx "$2" -o times.jsonl >log 2>&1 || { echo "error: $(tail -1 log)"; return; }
    python3 - <<'PY'
import json
rows = [json.loads(line) for line in open("times.jsonl")]
for r in rows:
    if r["kind"].startswith("gen"):
        print(r["ctx"], f'{r["ms_median"]:.4f}', f'{100 * r["floor_share"]:.1f}')
rates = [r["GBps"] for r in rows if r["engine"] == "floor"]
print("floor", "/".join(f"{r:.1f}" for r in rates), "GB/s")
PY
}

# measure NAME MODEL CONTEXTS REPEATS OPTIONS..
measure() {
    local name=$1 file=$2 contexts=$3 repeats=$4
    shift 4
    make timed "$file" "$@" || return
    # The plan that was compiled: its context is among those asked for.
    list=$(grep -o '"context": [0-9]*' timed.d/plan.json | head -1 | grep -o '[0-9]*$')
    [[ ,$contexts, == *,$list,* ]] && list=$contexts || list=$contexts,$list
    "$llmc" plan "$file" --target "$target" "$@" --ctx "$list" 2>log |
        awk '/^context +predicted/ { on = 1; next } on && NF >= 4 { gsub(",", "", $1); print $1, $2 } on && !NF { exit }' >predicted
    times timed "$contexts" "$repeats" >measured
    grep -q '^error' measured && { bad "$name" "$(cat measured)"; return; }
    awk -v name="$name $*" 'NR == FNR { p[$1] = $2; next } $1 == "floor" { printf "        %s: floor %s\n", name, $2 " " $3; next }
        { printf "        %s: context %s: %.3f ms, %s%% of the floor, predicted %.3f (%+.1f%%)\n", name, $1, $2, $3, p[$1], p[$1] ? 100 * (p[$1] / $2 - 1) : 0 }' predicted measured
    passed=$((passed + 1))
}

contexts=1,128,1024,4096,16384,32768
[ -z "$quick" ] || contexts=1,1024,4096
measure llama-3.2-1b "$main" $contexts 20
[ -n "$quick" ] || measure llama-3.2-1b "$main" 131072 20 --ctx 131072
model qwen-shape.json 896 14 2 64 4864 24 151936 true 8192
for name in llama-3.1-8b llama-3.2-3b llama-2-7b smollm2-135m; do
    [ -n "$quick" ] || measure $name "$models/$name.json" 1,4000 20
done
[ -n "$quick" ] || measure tinyllama-1.1b "$models/tinyllama-1.1b.json" 1,1984 20
measure qwen-shape qwen-shape.json 1,4096 20

# The order of candidates.
: >order
for candidate in "packets 1" "packets 2" "packets 4" "packets 8" "packets 16" "barrier 1" "barrier 4" "barrier 16"; do
    set -- $candidate
    [ "$1" = barrier ] || has_packets || continue
    make timed "$main" --ctx 8192 --sync "$1" --parts "$2" || continue
    times timed 1,1024,4096 10 | grep -v '^floor\|^error' | sed "s/^/$1-$2 /" >>order
    "$llmc" plan "$main" --target "$target" --sync "$1" --parts "$2" --ctx 1,1024,4096,8192 |
        awk -v c="$1-$2" '/^context +predicted/ { on = 1; next } on && NF >= 4 { gsub(",", "", $1); print c, $1, $2, "predicted" } on && !NF { exit }' >>order
done
if python3 - <<'PY'
import sys
measured, predicted, wrong = {}, {}, 0
for line in open("order"):
    f = line.split()
    (predicted if f[-1] == "predicted" else measured)[f[0], f[1]] = float(f[2])
for ctx in ["1", "1024", "4096"]:
    names = sorted((c for c, k in measured if k == ctx), key=lambda c: measured[c, ctx])
    print(f"        context {ctx}: " + ", ".join(f"{c} {measured[c, ctx]:.3f} ({predicted[c, ctx]:.3f})" for c in names))
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            wrong += predicted[a, ctx] > 1.03 * predicted[b, ctx] and measured[b, ctx] > 1.01 * measured[a, ctx]
sys.exit(wrong > 0 or not measured)
PY
then good "order of candidates" "as predicted"; else bad "order of candidates" "not as predicted"; fi
