# tables.py: writes runtime/template_tables.h from what this Python knows of Unicode: python3 tables.py > .../template_tables.h
import sys
import unicodedata

CODES = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def mapping(change):
    """Code points that become one other, and those that become several."""
    one, several = {}, {}
    for c in CODES:
        to = change(chr(c))
        if to != chr(c):
            (one if len(to) == 1 else several)[c] = ord(to) if len(to) == 1 else to
    return one, several


def runs(one):
    """(first, last, step, how far): each first, first + step ... last moves as far."""
    left = dict(one)
    while left:
        first = min(left)
        far = left[first] - first
        best = (first, 1)
        for step in (1, 2):
            last = first
            while left.get(last + step, -1) - last - step == far:
                last += step
            best = max(best, (last, step), key=lambda b: ((b[0] - first) // b[1], -b[1]))
        last, step = best
        for c in range(first, last + 1, step):
            del left[c]
        yield first, last, step, far


def lines(texts, width=116):
    line = "   "
    for text in texts:
        if len(line) + len(text) > width:
            print(line)
            line = "   "
        line += " " + text
    print(line)


def print_runs(name, one):
    print(f"static const CaseRun {name}[] = {{")
    lines("{ 0x%x, 0x%x, %d, %d }," % run for run in runs(one))
    print("};\n")


def print_several(name, several):
    print(f"static const CaseSpecial {name}[] = {{")
    lines("{ 0x%x, { %s } }," % (c, ", ".join("0x%x" % ord(x) for x in to)) for c, to in sorted(several.items()))
    print("};\n")


def main():
    lower, lower_several = mapping(str.lower)
    upper, upper_several = mapping(str.upper)
    titles = {c: chr(c).title() for c in CODES if chr(c).title() != chr(c).upper()}
    print("// template_tables.h: letters in other cases, characters that can be printed; by tests/chat/tables.py from\n"
          f"// Python's str methods, Unicode {unicodedata.unidata_version}.\n"
          "#pragma once\n#include <stdint.h>\n\n"
          "// first, first + step ... last each lie `far` from their other case.\n"
          "typedef struct CaseRun {\n    uint32_t first, last;\n    int32_t step, far;\n} CaseRun;\n\n"
          "// Becomes several, or as a title another than in upper case.\n"
          "typedef struct CaseSpecial {\n    uint32_t code, to[3];\n} CaseSpecial;\n")
    print_runs("case_lower", lower)
    print_runs("case_upper", upper)
    print_several("case_lower_special", lower_several)
    print_several("case_upper_special", upper_several)
    print_several("case_title_special", titles)
    changes, printable = [], False
    for c in range(0x110000):
        if chr(c).isprintable() != printable:
            printable = not printable
            changes.append(c)
    steps = [b - a for a, b in zip([0] + changes, changes)]
    print("// From 0 on: so many that cannot be printed, so many that can, and so on.")
    print("static const uint32_t print_steps[] = {")
    lines("%d," % s for s in steps)
    print("};")


if __name__ == "__main__":
    sys.exit(main())
