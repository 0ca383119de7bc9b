# compare.py: the text of chat templates against Jinja2's, set up as transformers sets it up:
#   python3 compare.py CHAT_RENDER TEMPLATE..
# Each template is rendered for every conversation of conversations.py with and without a generation prompt. Where Jinja2
# raises, llmc must refuse as well. Prints a line a template that differs or is refused, then the sums; exit 1 if one
# differs, or if more than five are refused.
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

import conversations

NOW = 1764500000  # 2025-11-30


class Generation(Extension):
    """{% generation %}: a block whose text stays."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_text"), [], [], body).set_lineno(line)

    @staticmethod
    def _text(caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda form: datetime.fromtimestamp(NOW).strftime(form)
    return env


def references(path, cases):
    """The text of each case, or the exception; an exception alone where the template itself is refused."""
    with open(path, encoding="utf-8") as f:
        source = f.read()
    try:
        template = environment().from_string(source)
    except Exception as e:
        return e
    out = []
    for case in cases:
        try:
            out.append(template.render(json.loads(json.dumps(case))).encode("utf-8", "surrogateescape"))
        except Exception as e:
            out.append(e)
    return out


def answers(render, path, cases):
    """What llmc gives: bytes or a message, each; a message alone where it refuses the template."""
    lines = "".join(json.dumps(case) + "\n" for case in cases).encode()
    run = subprocess.run([render, path, str(NOW)], input=lines, capture_output=True)
    if run.returncode:
        said = run.stderr.decode(errors="replace").strip().split("\n")
        return said[0] if run.returncode == 3 else f"exit {run.returncode}: " + " ".join(said)[:2000]
    out, rest = [], run.stdout
    while rest:
        head, _, rest = rest.partition(b"\n")
        if head.startswith(b"text "):
            n = int(head[5:])
            out.append(rest[:n])
            rest = rest[n + 1:]
        else:
            out.append(head.decode(errors="replace"))
    return out


def compare(render, path):
    """(name, refusal or None, differences, texts, raised)"""
    name = os.path.basename(path)
    cases = conversations.cases()
    want, got = references(path, cases), answers(render, path, cases)
    if isinstance(got, str):
        return name, got, [] if not got.startswith("exit") else [got], 0, 0
    if isinstance(want, Exception):
        return name, None, [f"Jinja2 refuses the template, llmc does not: {want}"], 0, 0
    differences, texts, raised = [], 0, 0
    if len(want) != len(got):
        return name, None, [f"{len(got)} answers to {len(want)} cases"], 0, 0
    for case, w, g in zip(cases, want, got):
        if isinstance(w, Exception) and isinstance(g, str):
            raised += 1
        elif w == g:
            texts += 1
        else:
            differences.append(describe(case, w, g))
    return name, None, differences, texts, raised


def describe(case, want, got):
    told = json.dumps(case, ensure_ascii=True)[:300]
    if isinstance(want, bytes) and isinstance(got, bytes):
        at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
        return f"{told}\n  at byte {at}: wanted {want[max(0, at - 60):at + 60]!r}\n  {'':>18}got {got[max(0, at - 60):at + 60]!r}"
    return f"{told}\n  wanted {want!r:.300}\n  got    {got!r:.300}"


def main():
    render, paths = sys.argv[1], sys.argv[2:]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda path: compare(render, path), paths))
    refused = [r for r in results if r[1]]
    bad = [r for r in results if r[2]]
    few = [r for r in results if not r[1] and not r[2] and r[3] < 6]
    for name, said, differences, texts, raised in results:
        if said:
            print(f"{name}: refused: {said}")
        for d in differences[:3]:
            print(f"{name}: differs: {d}")
        if len(differences) > 3:
            print(f"{name}: and {len(differences) - 3} more")
    for name, _, _, texts, raised in few:
        print(f"{name}: only {texts} conversations give a text, {raised} raise")
    print(f"{len(results)} templates: {len(results) - len(refused)} compile, {len(refused)} refused, {len(bad)} differ; "
          f"{sum(r[3] for r in results)} texts equal, {sum(r[4] for r in results)} conversations raise in both")
    return 1 if bad or (len(paths) >= 60 and len(refused) > 5) else 0


if __name__ == "__main__":
    sys.exit(main())
