#!/usr/bin/env python3
"""parts.py: whether an explanation adds up.

    parts.py EXPLAIN.json PLAN.json CONTEXT..

It has the contexts asked for; the parts add up to the measured token, those of a wave to the wave; what waves read ahead others have
less to read, and without a ring none does; nothing but streaming, faster than the floor's, is less than nothing; every wave of the plan is there as often as a token has it; the floors are those of
all parameters at two bytes and of K/V at the mean context; the three worst are those with most time over their floors."""
import json
import sys


def near(a, b, what, wrong, within=1e-3):
    if abs(a - b) > within * max(abs(a), abs(b), 1e-9):
        wrong.append(f"{what}: {a} and {b}")


def model_bytes(model):
    """(what a token streams of an untied model, at two bytes a parameter; K and V of a position)"""
    hidden, layers, heads, ffn, kv_heads, head_dim = (model[k] for k in ("hidden", "layers", "heads", "ffn", "kv_heads", "head_dim"))
    layer = hidden * head_dim * (2 * heads + 2 * kv_heads) + 3 * hidden * ffn + 2 * hidden
    return 2 * (layers * layer + hidden + model["vocab"] * hidden), 2 * layers * kv_heads * head_dim * 2


def check(entry, plan, wrong):
    schedule = [s for s in plan["schedules"] if s["name"] == entry["schedule"]][0]
    repeat = schedule["repeats"][0]
    near(sum(entry["parts_us"].values()), entry["measured_us"], "parts and token", wrong)
    near(sum(entry["predicted_parts_us"].values()), entry["predicted_us"], "predicted parts and token", wrong)
    near(sum(w["measured_us"] for w in entry["waves"]) + entry["parts_us"]["launch"], entry["measured_us"], "waves and token", wrong)
    ahead = [w["ahead_us"] for w in entry["waves"]]
    if abs(sum(ahead)) > 1e-3 * entry["measured_us"] or (schedule["sync"] == "barrier" and any(ahead)) or ahead[0] < 0:
        wrong.append(f"read ahead: {ahead}")
    names = [w["op"] for w in schedule["waves"]]
    if [w["name"] for w in entry["waves"]] != names:
        wrong.append(f"waves {[w['name'] for w in entry['waves']]}, not {names}")
    for i, w in enumerate(entry["waves"]):
        near(sum(w["parts_us"].values()), w["measured_us"], w["name"], wrong)
        if w["times"] != (repeat["layers"] if repeat["first_wave"] <= i < repeat["first_wave"] + repeat["waves"] else 1):
            wrong.append(f"{w['name']} {w['times']} times")
        if any(v < 0 for k, v in w["parts_us"].items() if k != "streaming") or not 0 <= w["waiting_us"] <= w["measured_us"] * 1.001:
            wrong.append(f"less than nothing: {w}")
        if not w["predicted_us"] > 0:
            wrong.append(f"no prediction: {w}")
    if entry["parts_us"]["launch"] < 0:
        wrong.append(f"the launch took {entry['parts_us']['launch']}")
    streamed, kv = model_bytes(plan["model"])
    near(sum(w["bytes"] for w in entry["waves"]), streamed + kv * entry["mean_context"], "bytes", wrong)
    near(entry["parts_us"]["floor"], (streamed + kv * entry["mean_context"]) / (entry["gbs"] * 1e3), "floor", wrong)
    over = sorted(entry["waves"], key=lambda w: w["parts_us"]["floor"] - w["measured_us"])
    if entry["worst"] != [w["name"] for w in over[:3]]:
        wrong.append(f"worst {entry['worst']}")


def main():
    explained, plan, wrong = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), []
    if [e["context"] for e in explained["contexts"]] != [int(c) for c in sys.argv[3:]]:
        wrong.append("other contexts")
    for entry in explained["contexts"]:
        check(entry, plan, wrong)
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
