#!/usr/bin/env python3
"""picture.py: whether a timeline shows its plan.

    picture.py PICTURE.svg PLAN.json measured|planned

Well-formed, without scripts and without anything from elsewhere; all numbers are there; in the panel of a layer and in that of what is
behind the layers every wave has a bar for every worker that has a task in it, none of which overlap in a row or leave the picture; where
something was measured, also what each worker did in each wave."""
import json
import re
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
BAR = re.compile(r"M([-0-9.]+) ([-0-9.]+)h([0-9.]+)v([0-9.]+)h-([0-9.]+)z")


def bars_of(path):
    bars = [tuple(float(v) for v in b) for b in BAR.findall(path.get("d"))]
    if "".join("M%s %sh%sv%sh-%sz" % b for b in BAR.findall(path.get("d"))) != path.get("d"):
        raise ValueError("a path is not made of bars: " + path.get("d")[:80])
    return bars


def main():
    text, plan, measured = open(sys.argv[1]).read(), json.load(open(sys.argv[2])), sys.argv[3] == "measured"
    root, wrong = ET.fromstring(text), []
    schedule = plan["schedules"][0]
    names, repeat, workers = [w["op"] for w in schedule["waves"]], schedule["repeats"][0], schedule["workers"]
    width, height = (float(v) for v in root.get("viewBox").split()[2:])
    if re.search(r"nan|inf\b|<script|href|url\(|@import", text):
        wrong.append("numbers that are none, scripts or other files")
    if len(text) > 12000 + 60 * workers * len(names) * (3 if measured else 1):
        wrong.append(f"{len(text)} bytes")
    titles = {}
    for path in root.iter(SVG + "path"):
        title = path.find(SVG + "title")
        if title is not None:
            titles[title.text] = bars_of(path)
    for bars in titles.values():
        wrong += [f"a bar outside: {b}" for b in bars if b[0] < 0 or b[0] + b[2] > width or b[1] < 0 or b[1] + b[3] > height][:1]
    rows = {}
    for i, name in enumerate(names):
        drawn = [bars for title, bars in titles.items() if title.startswith(name + " (") and "predicted" in title]
        busy = {t["worker"] for t in schedule["tasks"] if t["wave"] == i}
        if i < repeat["first_wave"]:
            continue
        if len(drawn) != 1 or len(drawn[0]) != len(busy):
            wrong.append(f"{name}: {[len(d) for d in drawn]} bars for {len(busy)} workers")
        for x, y, w, *_ in drawn[0] if drawn else []:
            rows.setdefault(y, []).append((x, w, name))
        done = [bars for title, bars in titles.items() if title.startswith(name + ", measured")]
        if len(done) != measured or any(len(d) > workers for d in done):
            wrong.append(f"{name}: measured {[len(d) for d in done]}")
    if measured and not any("waiting" in title and bars for title, bars in titles.items()):
        wrong.append("nobody waits")
    for y, bars in rows.items():
        bars.sort()
        wrong += [f"{a} and {b} overlap" for a, b in zip(bars, bars[1:]) if a[0] + max(a[1] - 1.6, 0) > b[0] + 0.2][:1]
    said = "".join(t.text or "" for t in root.iter(SVG + "text"))
    wrong += [f"{word} is not said" for word in names + ["ideal streaming", "planned", str(workers) + " workers"] if word not in said]
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
