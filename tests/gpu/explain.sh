# explain.sh: a program of -ftrace beside one without: the cost of the stamps, the parts of a token, what is predicted of each wave.
if make traced "$main" -ftrace && make plain "$main"; then
    ./traced --weights random:1 --explain --ctx 1,1024,4096 2>&1 | sed 's/^/        /'
    ./traced --weights random:1 --explain --ctx 4096 --json >explain.json 2>/dev/null
    for program in plain traced; do
        rm -f $program.jsonl
        ./$program --weights random:1 --bench -r 20 --ctx 1,1024,4096 -o $program.jsonl >log 2>&1 || bad "$program" "$(tail -1 log)"
    done
    if python3 - <<'PY'
import json
def load(name):
    return {r["ctx"]: r["ms_median"] for r in map(json.loads, open(name)) if r["kind"].startswith("gen")}
plain, traced = load("plain.jsonl"), load("traced.jsonl")
for ctx in plain:
    print(f"        context {ctx}: {plain[ctx]:.4f} ms, with stamps {traced[ctx]:.4f} ({100 * (traced[ctx] / plain[ctx] - 1):+.2f}%)")
raise SystemExit(any(traced[c] > 1.02 * plain[c] for c in plain))
PY
    then good "stamps" "at most 2%"; else bad "stamps" "over 2%"; fi
fi
