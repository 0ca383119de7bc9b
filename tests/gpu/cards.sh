# cards.sh: the schedules of smaller cards on this GPU, plan unchanged: right, and near what so many multiprocessors draw here.
rates=$("$llmc" targets "$target" | sed -n 's/^ *rate_by_sms *\(\[\[.*\]\]\) .*/\1/p')
for card in rtx-3050 t4 rtx-3090 a100 rtx-4090; do
    "$llmc" compile "$main" --target $card --arch "$arch" -o card -q -f >log 2>&1 || { bad "$card" "$(head -2 log)"; continue; }
    check card 2 1,600 "$card's schedule"
    rm -f card.jsonl
    ./card --weights random:1 --bench 16 -r 5 --ctx 1,1024 -o card.jsonl >log 2>&1 || { bad "$card's speed" "$(tail -1 log)"; continue; }
    python3 - "$card" "${rates:-[]}" "$("$llmc" targets $card | sed -n 's/^ *sms *\([0-9]*\) .*/\1/p')" <<'PY'
import json, sys
card, rates, sms = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
rate = next(((a[1] + (b[1] - a[1]) * (sms - a[0]) / (b[0] - a[0])) for a, b in zip(rates, rates[1:]) if a[0] <= sms <= b[0]), None)
rows = [json.loads(line) for line in open("card.jsonl")]
floor = next(r for r in rows if r["engine"] == "floor")
for r in rows:
    if r["kind"].startswith("gen"):
        bytes_read = r["floor_ms"] * floor["GBps"] * 1e6
        print(f"        {card}: {sms} workers, context {r['ctx']}: {r['ms_median']:.3f} ms, {100 * r['floor_share']:.1f}% of the floor"
              + (f", {100 * bytes_read / rate / 1e6 / r['ms_median']:.1f}% of the {rate:.0f} GB/s that {sms} draw" if rate else ""))
PY
done
