#!/usr/bin/env python3
"""events.py: whether a trace is whole.

    events.py TRACE.json PLAN.json TOKENS

The trace is valid JSON; every worker has, for each of TOKENS tokens, every wave of the plan in its order, under the plan's name; in a
row no two waves overlap, and a wait lies in its wave, at its beginning."""
import json
import sys


def unrolled(schedule):
    """(name, layer, rolled wave) of every wave of a token."""
    waves, repeat = schedule["waves"], schedule["repeats"][0]
    first, after = repeat["first_wave"], repeat["first_wave"] + repeat["waves"]
    order = [(waves[i]["op"], -1, i) for i in range(first)]
    for layer in range(repeat["layers"]):
        order += [(waves[i]["op"], layer, i) for i in range(first, after)]
    return order + [(waves[i]["op"], -1, i) for i in range(after, len(waves))]


def check_row(worker, events, order, first, tokens):
    waves = [e for e in events if e["cat"] == "wave"]
    want = [(name, layer, wave, token) for token in range(first, first + tokens) for name, layer, wave in order]
    got = [(e["name"], e["args"]["layer"], e["args"]["wave"], e["args"]["token"]) for e in waves]
    if got != want:
        return f"worker {worker}: {len(got)} waves, not the {len(want)} of the plan"
    ns = lambda us: round(us * 1000)
    for one, other in zip(waves, waves[1:]):
        if ns(one["ts"]) + ns(one["dur"]) > ns(other["ts"]):
            return f"worker {worker}: {other} begins before {one} ends"
    owner = None
    for e in events:
        if e["cat"] == "wave":
            owner = e
        elif owner is None or ns(e["ts"]) != ns(owner["ts"]) or ns(e["dur"]) > ns(owner["dur"]) or ns(e["dur"]) <= 0:
            return f"worker {worker}: the wait {e} is not the beginning of {owner}"
    if not sum(e["dur"] for e in waves) > 0:
        return f"worker {worker}: nothing takes time"
    return None


def main():
    trace, plan, tokens = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), int(sys.argv[3])
    other = trace["otherData"]
    schedule = [s for s in plan["schedules"] if s["name"] == other["schedule"]][0]
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    wrong = []
    if other["tokens"] != tokens or other["first_token"] + tokens != other["launch_tokens"]:
        wrong.append(f"{other['tokens']} tokens from {other['first_token']} on of {other['launch_tokens']}")
    if sorted({e["tid"] for e in events}) != list(range(schedule["workers"])) or len(names) != schedule["workers"]:
        wrong.append("the rows are not the workers")
    for worker in range(schedule["workers"]):
        fault = check_row(worker, [e for e in events if e["tid"] == worker], unrolled(schedule), other["first_token"], tokens)
        wrong += [fault] if fault else []
    if not any(e["cat"] == "wait" for e in events):
        wrong.append("nobody waits")
    print("\n".join(wrong) or f"{len(events)} events")
    return 1 if wrong else 0


sys.exit(main())
