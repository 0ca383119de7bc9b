"""picture.py: the table's figures as a self-contained SVG: a panel a context, a bar an engine, the floor as a line."""
from html import escape

WIDTH, LEFT, RIGHT, BAR, GAP, HEAD, PANEL = 960, 330, 150, 18, 6, 64, 34  # pixels
CUT = 6  # floors: longer bars are cut off there, and say so
STYLE = """text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 17px; font-weight: 600 } .small { font-size: 11px; fill: #57606a }
.llmc { fill: #0a7d55 } .peer { fill: #8c959f } .other { fill: url(#hatch); stroke: #8c959f } .floor { stroke: #c2410c; stroke-width: 1.5; stroke-dasharray: 4 3 }
.floortext { fill: #c2410c; font-size: 11px } .strong { font-weight: 600 }"""


def bars(results, ctx):
    """(name, figure, share), from the fastest on."""
    found = [(results.name(e), results.best(e, ctx), e) for e in results.engines]
    return sorted(((n, f, e) for n, f, e in found if f), key=lambda b: b[1].ms)


def scale_of(results):
    """Milliseconds at the right end: the longest bar that is not cut off."""
    longest = 0
    for ctx in results.contexts:
        floor = results.floor_ms(ctx)
        for _, figure, _ in bars(results, ctx):
            if not floor or figure.ms <= CUT * floor:
                longest = max(longest, figure.ms)
    return 1.02 * longest or 1.0


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""} text-anchor="{anchor}">{escape(words)}</text>'


def bar(results, y, name, figure, engine, scale):
    full = WIDTH - LEFT - RIGHT
    cut = figure.ms > scale
    length = full if cut else full * figure.ms / scale
    kind = "llmc" if engine == "llmc" else "other" if figure.other_run else "peer"
    share = results.share(figure)
    says = f"{figure.ms:.3f} ms" + (f", {100 * share:.0f}%" if share else "")
    label = name + (" †" if figure.other_run else "") + ("" if figure.kind.startswith("gen") else " *")
    hint = f"{name}: {figure.ms:.4f} ms a token ({figure.kind}){', measured in another run: ' + figure.other_run if figure.other_run else ''}"
    torn = f'<path d="M{LEFT + full - 16} {y - 1}l-8 {BAR + 2}h5l8 {-BAR - 2}z" fill="#ffffff"/>' if cut else ""
    return "\n".join([
        f'<g><title>{escape(hint)}</title>',
        text(LEFT - 8, y + 13, label, "strong" if engine == "llmc" else "", "end"),
        f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}"/>{torn}',
        text(LEFT + length + 6, y + 13, says, "strong" if engine == "llmc" else ""), "</g>"])


def panel(results, ctx, top, scale):
    rows = bars(results, ctx)
    floor = results.floor_ms(ctx)
    out = [text(LEFT, top + 18, f"context {ctx:,}", "strong")]
    first = top + PANEL
    for i, (name, figure, engine) in enumerate(rows):
        out.append(bar(results, first + i * (BAR + GAP), name, figure, engine, scale))
    bottom = first + len(rows) * (BAR + GAP)
    if floor:
        x = LEFT + (WIDTH - LEFT - RIGHT) * floor / scale
        out.append(f'<line class="floor" x1="{x:.1f}" y1="{top + 22}" x2="{x:.1f}" y2="{bottom}"/>')
        out.append(text(x + 5, top + 30, f"floor {floor:.3f} ms", "floortext"))
    return "\n".join(out), bottom


def draw(results):
    run, scale, parts, top = results.run, scale_of(results), [], HEAD
    for ctx in results.contexts:
        part, top = panel(results, ctx, top, scale)
        parts.append(part)
        top += 12
    feet = ["Bars: greedy generation of 64 tokens with selection, host clock; * a single step without selection. Percent: share of the floor."]
    others = sorted({l["other_run"] for l in results.lines if l.get("other_run")})
    if others:
        feet.append(f"† hatched: measured in another run ({'; '.join(others)}): compare shares, not milliseconds.")
    height = top + 18 * len(feet) + 10
    where = ", ".join(t for t in (run["date"], run["gpu"], run.get("driver") and "driver " + run["driver"], run.get("program")) if t)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
        f"<style>{STYLE}</style>",
        '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="6" height="6" fill="#ffffff"/><line x1="0" y1="0" x2="0" y2="6" stroke="#8c959f" stroke-width="3"/></pattern></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        text(16, 28, f"{run['model']} on {run['gpu']}: milliseconds a token, shorter is better", "title"),
        text(16, 48, where, "small"), *parts,
        *(text(16, top + 18 * (i + 1), foot, "small") for i, foot in enumerate(feet)), "</svg>", ""])
