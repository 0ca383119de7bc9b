# random_templates.py: templates made at random from what is supported, against Jinja2 (see compare.py):
#   python3 random_templates.py CHAT_RENDER COUNT [SEED]
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import compare

VARIABLES = {
    "s": "Hello, Wörld 🙂", "t": "a-b,c  d\n x", "e": "", "n": 7, "z": 0, "m": -3, "f": 2.5, "yes": True, "no": False, "nil": None,
    "l": [3, 1, 2], "w": ["b", "A", "c", "a"], "d": {"k": 1, "items": [1], "b": "x", "a": None},
    "o": [{"r": "user", "v": 2}, {"r": "tool", "v": 1}, {"r": "user", "v": 3, "x": {"y": "z"}}], "q": "'\"\\\n\t<&>",
}


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = []

    def pick(self, *options):
        return self.r.choice(options)

    def separator(self):
        return self.pick("','", "'-'", "' '", "")

    def string(self, depth):
        if depth <= 0 or self.r.random() < 0.35:
            return self.pick("s", "t", "e", "q", "'ab'", "'-'", "'x y'", "'é'", "'a'", "s", "''")
        a, b = self.string(depth - 1), self.string(depth - 1)
        return self.pick(
            f"{a} ~ {self.any(depth - 1)}", f"({a} + {b})", f"{a}|upper", f"{a}|lower", f"{a}|trim", f"{a}|trim({b})", f"({a})[{self.slice()}]",
            f"{a}|replace({b}, {self.string(0)})", f"{self.any(depth - 1)}|string", f"{self.any(depth - 1)}|tojson", f"({a}).strip()",
            f"({a}).split({self.separator()})[0]", f"{self.list(depth - 1)}|join({b})", f"({a}).replace({b}, '_')", f"{a}|title",
            f"{a}|capitalize", f"({a}).lstrip({b})", f"({a}).rstrip()", f"{a}|indent(2)", f"{a}|default({b})", f"({a}).upper()",
            f"({a} if {self.truth(depth - 1)} else {b})", f"{self.any(depth - 1)}|tojson(indent=2)", f"({a}) * {self.pick(0, 1, 2)}",
            f"({a}|safe + {b})", f"({a}).join({self.pick('w', '[s, t]')})", f"{a}|e", f"'<{{}}|{{}}>'.format({self.any(depth - 1)}, {b})",
            f"({a})|reverse", f"({a}).title()", f"({a}).capitalize()", f"({a}).removeprefix('He')", f"({a})|first", f"({a})|last",
            f"{self.any(depth - 1)}|tojson(sort_keys=true)", f"{a}|tojson(ensure_ascii=true)")

    def number(self, depth):
        if depth <= 0 or self.r.random() < 0.35:
            return self.pick("n", "z", "m", "f", "1", "2", "10", "0.5", "3")
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} // {self.pick('n', '2', '-3', '2.5')})", f"({a} % {self.pick('n', '2', '-3', '0.7')})",
                         f"({a} / {self.pick('n', '4')})", f"{self.string(depth - 1)}|length", f"{self.list(depth - 1)}|length", f"-{a}", f"({a})|int",
                         f"{self.string(depth - 1)}|int", f"({a})|abs", f"{self.string(depth - 1)}|float", f"({self.string(depth - 1)}).find({self.string(0)})",
                         f"({self.string(depth - 1)}).count({self.string(0)})", f"l|sum", "l|max", "l|min", f"d.get('k', {a})", f"{self.pick(2, 3)} ** {self.pick(0, 2, 5)}",
                         f"({a})")

    def list(self, depth):
        if depth <= 0 or self.r.random() < 0.35:
            return self.pick("l", "w", "[1, 'a', none]", "[]", "(1, 2)", "range(4)|list", "[s, t]", "d|list")
        a = self.list(depth - 1)
        return self.pick(f"({a})[{self.slice()}]", f"[{self.any(depth - 1)}, {self.any(depth - 1)}]", f"{a}|list", f"w|sort", f"l|sort(reverse=true)",
                         f"o|map(attribute='r')|list", f"o|selectattr('r', 'equalto', 'user')|list", f"o|rejectattr('x')|list", f"w|unique|list",
                         f"({self.string(depth - 1)}).split()", f"({self.string(depth - 1)}).split({self.pick('s', 'q')}, 1)", f"w|map('upper')|list",
                         f"{a}|select('string')|list", f"{a}|reject('none')|list", f"d|dictsort", f"d.items()|list", f"d|items|list", f"d.keys()|list",
                         f"{a}|reverse|list", f"o|sort(attribute='v')|map(attribute='v')|list", f"({self.string(depth - 1)})|list", f"({self.string(depth - 1)}).splitlines()",
                         f"l + [{self.any(depth - 1)}]", f"range({self.pick('n', '3')}, {self.pick('0', '9')}, {self.pick('1', '-2')})|list", "l|map('string')|list",
                         f"o|selectattr('v', '>', 1)|map(attribute='x.y', default='-')|list", f"({self.string(depth - 1)}).partition('l')",
                         f"({self.string(depth - 1)}).rsplit('l', 1)")

    def truth(self, depth):
        if depth <= 0 or self.r.random() < 0.25:
            return self.pick("yes", "no", "true", "false", "nil", "l", "e", "n", "(undefined_name is defined)")
        a, b = self.truth(depth - 1), self.truth(depth - 1)
        return self.pick(f"({a} and {b})", f"({a} or {b})", f"not {a}", f"{self.any(depth - 1)} == {self.any(depth - 1)}", f"{self.number(depth - 1)} < {self.number(depth - 1)}",
                         f"{self.number(0)} <= {self.number(0)} < {self.number(0)}", f"{self.string(depth - 1)} in {self.string(depth - 1)}", f"{self.any(depth - 1)} in {self.list(depth - 1)}",
                         f"({self.any(depth - 1)} is {self.pick('string', 'mapping', 'sequence', 'iterable', 'none', 'number', 'boolean', 'true', 'false', 'defined', 'undefined', 'integer', 'float', 'callable')})",
                         f"({self.any(depth - 1)} is not {self.pick('string', 'none', 'mapping')})", f"({self.string(depth - 1)}).startswith({self.string(0)})",
                         f"({self.string(depth - 1)}).endswith({self.string(0)})", f"{self.any(depth - 1)} != {self.any(depth - 1)}", "(n is odd)", "(n is divisibleby 7)", f"'k' in d")

    def any(self, depth):
        if depth <= 0:
            return self.pick("s", "n", "f", "l", "d", "nil", "yes", "undefined_name", "o[2].x", "o[0]", "d.k", "d['b']", "d.none_such", *self.names)
        return self.pick(self.string, self.number, self.list, self.truth, lambda _: self.pick("d", "o[1]", "o[2]['x']", "{'a': 1, n: [s]}", "dict(a=l)", "nil", *self.names))(depth)

    def slice(self):
        return self.pick(":2", "1:", "-2:", "::-1", ":-1", "1:3", "::2", "n:", "-1:0:-1", "z:n")

    def text(self):
        return self.pick("a", " b ", "\n", "  \n  ", "é\n", "x\n\n  ")

    def sign(self):
        return self.pick("", "", "", "-", "+") if self.r.random() < 0.5 else ""

    def tag(self, body):
        left, right = self.sign(), self.sign()
        return "{%" + left + " " + body + " " + right + "%}"

    def show(self, body):
        return "{{" + self.pick("", "-") + " " + body + " " + self.pick("", "-") + "}}"

    def statement(self, depth, loop=False):
        kind = self.r.random()
        if depth <= 0 or kind < 0.3:
            return self.show(self.any(2)) + self.text()
        body = self.statement(depth - 1, loop) + self.text() + self.statement(depth - 1, loop)
        name = self.pick("v1", "v2", "v3")
        if kind < 0.42:
            return self.tag(f"if {self.truth(2)}") + body + self.pick("", self.tag("else") + self.statement(depth - 1, loop),
                                                                     self.tag(f"elif {self.truth(1)}") + self.text()) + self.tag("endif")
        if kind < 0.6:
            inner = self.statement(depth - 1, True) + self.pick("", self.show(self.pick("loop.index", "loop.last", "loop.revindex0", "loop.first", "loop.length", "loop.previtem", "loop.nextitem",
                                                                                         "loop.cycle('x', 'y')", "item")))
            self.names.append(name)
            over = self.pick(f"{name} in {self.list(2)}", f"{name} in {self.string(1)}", f"{name}, v4 in d.items()", f"{name} in l if {name} != 1", f"{name} in w if not loop is defined")
            end = self.pick("", "", self.tag(f"if {self.truth(1)}") + self.tag(self.pick("break", "continue")) + self.tag("endif"))
            return self.tag(f"for {over}") + end + inner + self.pick("", self.tag("else") + self.text()) + self.tag("endfor")
        if kind < 0.8:
            self.names.append(name)
            return self.pick(self.tag(f"set {name} = {self.any(3)}"), self.tag(f"set {name}") + body + self.tag("endset"),
                             self.tag(f"set ns.a = {self.any(2)}") + self.show("ns.a"), self.tag(f"set {name}, v5 = {self.any(1)}, {self.any(1)}")) + self.text()
        if kind < 0.9:
            call = self.pick("mac(1)", f"mac({self.any(1)}, {self.any(1)})", f"mac(b={self.any(1)}, a=2)", "mac()", "mac(1, 2, 3)")
            return self.tag(f"macro mac(a, b={self.any(1)})") + self.show("a") + "/" + self.show("b") + self.pick("", self.show("varargs")) + self.tag("endmacro") + self.show(call)
        return self.pick("{# c #}", self.tag("raw") + "{{ x }}" + self.tag("endraw"), self.tag("filter upper") + body + self.tag("endfilter"),
                         self.tag("generation") + body + self.tag("endgeneration"))

    def template(self):
        self.names = []
        return self.tag("set ns = namespace(a=1, b=s)") + "".join(self.statement(3) + self.text() for _ in range(self.r.randrange(1, 4)))


def one(render, folder, seed):
    source = Maker(seed).template()
    path = os.path.join(folder, f"{seed}.jinja")
    with open(path, "w", encoding="utf-8") as f:
        f.write(source)
    want, got = compare.references(path, [VARIABLES]), compare.answers(render, path, [VARIABLES])
    os.remove(path)
    if isinstance(want, Exception):
        return (None if isinstance(got, str) else f"Jinja2 refuses it: {want}"), source, False
    if isinstance(got, str):
        return f"refused: {got}", source, False
    if isinstance(want[0], Exception) and isinstance(got[0], str):
        return None, source, False
    if want == got:
        return None, source, True
    return compare.describe({}, want[0], got[0]), source, False


def main():
    render, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda i: one(render, folder, seed * 1000000 + i), range(count)))
    bad = [r for r in results if r[0]]
    for said, source, _ in bad[:int(os.environ.get("SHOWN", "5"))]:
        print(f"failed: {source!r}\n  {said}")
    texts = sum(r[2] for r in results)
    print(f"{count} random templates: {texts} texts equal, {count - texts - len(bad)} raise in both, {len(bad)} differ")
    return 1 if bad or texts < count // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
