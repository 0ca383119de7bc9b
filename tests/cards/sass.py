#!/usr/bin/env python3
"""sass.py: judges the hot loops of decode kernels in what nvdisasm -c -gi prints.

    sass.py SASS --threads N --target TARGET.json [--name CARD] [--lenient]

A hot loop is the smallest loop of a decode_* function around a load of weights (LDG with .CONSTANT, the read-only path), a copy into
a ring (LDGSTS, UBLKCP, UTMALDG), 16-byte loads of K/V, or dot products with what a ring brought into shared memory. In each:
  weights come by loads of 16 bytes or more; no integer division (by a variable, or by a constant as a high multiply); no multiply
  of 64-bit numbers (a 32-bit one with a 64-bit result, IMAD.WIDE, is what addresses need); no call.
In the whole function: no local memory. Of loops that load weights or K/V straight into registers: bytes in flight a multiprocessor, those
that all threads of the worker have issued before they first read one, are what Little's law asks for: the multiprocessor's even share of the
card's rate times the latency of its memory. Prints a line a loop; exit code 1 when one fails. --lenient: a division by a constant and
a call to the slow path of a float division or root, which ordinary numbers never take, are noted and do not fail."""
import argparse
import json
import re
import sys

INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][A-Z0-9_.]*)\s*(.*?)\s*;")
LABEL = re.compile(r"^(\.L_x_\d+):")
SECTION = re.compile(r"^\s*\.section\s+\.text\.([A-Za-z0-9_]+)")
LINE = re.compile(r'^\s*//## File "([^"]*)", line (\d+)')
REGISTER = re.compile(r"\b(U?R)(\d+)(\.64)?")
VOCABULARY = ("base.cuh", "numbers.cuh", "request.cuh", "async.cuh", "bulk.cuh", "mma.cuh", "packets.cuh")


class Instruction:
    def __init__(self, address, op, operands, where):
        self.address, self.op, self.operands, self.where = address, op, operands, where
        self.target = re.search(r"\((\.L_x_\d+)\)", operands)
        found = [(m.group(1) + m.group(2), bool(m.group(3)), m.start()) for m in REGISTER.finditer(operands)]
        comma = operands.find(",")
        stores = op.startswith(("ST", "RED", "LDGSTS", "UBLKCP", "UTMA", "BRA", "EXIT", "BAR"))
        self.writes = [] if stores or not found or (0 <= comma < found[0][2]) else group(found[0][0], width(op))
        self.reads = [r for name, pair, at in found if stores or not self.writes or at > comma >= 0 for r in group(name, 2 if pair else 1)]

    def __repr__(self):
        return f"{self.address:04x} {self.op}"


def width(op):
    """Registers that the result takes."""
    if ".256" in op:
        return 8
    if ".128" in op:
        return 4
    return 2 if ".64" in op or ".WIDE" in op else 1


def group(name, n):
    kind, number = re.match(r"(U?R)(\d+)", name).groups()
    return [f"{kind}{int(number) + i}" for i in range(n)]


def read(text):
    """Functions by name: instructions in order, and where labels stand among them."""
    functions, name, where, fresh = {}, None, None, True
    for line in text.splitlines():
        section, label, place = SECTION.match(line), LABEL.match(line), LINE.match(line)
        instruction = INSTRUCTION.match(line)
        if section:
            name = section.group(1)
            functions[name] = ([], {})
        elif place:
            # The first of a run of lines is where the text stands, those behind it where it was called from.
            file = place.group(1).split("templates/")[-1]
            if fresh or (where and where.split(":")[0].split("/")[-1] in VOCABULARY):
                where = f"{file}:{place.group(2)}"
            fresh = False
        elif name and label:
            functions[name][1][label.group(1)] = len(functions[name][0])
        elif name and instruction:
            address, _, op, operands = instruction.groups()
            functions[name][0].append(Instruction(int(address, 16), op, operands, where))
            fresh = True
    return functions


def is_weight(i):
    return i.op.startswith("LDG.") and ".CONSTANT" in i.op


def is_wide(i):
    return ".128" in i.op or ".256" in i.op


def is_cache(i):
    """K/V, or activations: what this launch has written; LD. where the compiler does not see that the address is global."""
    return i.op.startswith(("LDG.", "LD.")) and is_wide(i) and not is_weight(i)


def is_ring(i):
    return i.op.startswith(("LDGSTS", "UBLKCP", "UTMALDG"))


def is_dot(i):
    return i.op.startswith(("FFMA", "HFMA", "HMMA", "IMMA"))


def hot_loops(code, labels):
    """(kind, loop, whole) in order: the smallest loop around each load that streams; and the weight loads that no loop holds."""
    spans = [(labels[i.target.group(1)], n) for n, i in enumerate(code)
             if i.op.startswith("BRA") and i.target and labels.get(i.target.group(1), n + 1) <= n]
    ring, hot, own, stray = any(is_ring(i) for i in code), {}, {}, []
    for n, i in enumerate(code):
        kind = ("weights" if is_weight(i) else "ring" if is_ring(i) else "cache" if is_cache(i)
                else "shared" if ring and i.op.startswith("LDS") and is_wide(i) else None)
        around = [s for s in spans if s[0] <= n <= s[1]]
        if kind and around:
            smallest = min(around, key=lambda s: s[1] - s[0])
            hot.setdefault(smallest, kind)
            own.setdefault(smallest, []).append(n)
        elif kind == "weights":
            stray.append(i)
    # The loop over tokens, which holds what comes before and behind the layers, goes around the loop over layers.
    inside = {s: [o for o in hot if o != s and s[0] <= o[0] and o[1] <= s[1]] for s in hot}
    tokens = [s for s in hot if any(len(inside[o]) > 1 for o in inside[s])]
    # Of a loop with others in it, that over layers, what counts is where its own loads of weights stand: no loop was left around those,
    # or they were taken out of the front of one, whose loads are in flight beside them.
    ends = {s: (own[s][0], own[s][-1]) if inside[s] else s for s in hot}
    loops = [(kind, code[ends[s][0]:ends[s][1] + 1], not inside[s]) for s, kind in sorted(hot.items())
             if s not in tokens and (not inside[s] or kind in ("weights", "ring"))]
    return [(k, l, w) for k, l, w in loops if k in ("weights", "ring") or is_dots(l)], stray


def is_dots(loop):
    """Multiply-adds without weights: attention, or what a ring feeds; not the staging of a vector, nor the loop over layers."""
    return sum(i.op.startswith(("FFMA", "HFMA", "HMMA", "IMMA")) for i in loop) >= 32 and not any(is_weight(i) or is_ring(i) for i in loop)


def multiplies_64(loop):
    """The two cross products of a 64-bit multiply, added to the high half of the wide one: where, or None."""
    products, high = set(), set()
    for i in loop:
        base = i.op.split(".")[0]
        adds = base in ("IADD3", "UIADD3", "IADD", "UIADD") or i.op.startswith(("IMAD.IADD", "UIMAD.IADD"))
        plain = i.op in ("IMAD", "UIMAD", "IMAD.U32", "UIMAD.U32") and len(set(i.reads)) > 1
        if adds and any(r in high for r in i.reads) and any(r in products for r in i.reads):
            return i
        for r in i.writes:
            products.discard(r)
            high.discard(r)
        if i.op.startswith(("IMAD.WIDE", "UIMAD.WIDE")) and len(i.writes) == 2:
            high.add(i.writes[1])
        elif plain and i.writes:
            products.add(i.writes[0])
    return None


def divides(loop):
    """A division by a variable goes through the reciprocal of a float; by a constant through a high multiply."""
    for i in loop:
        if i.op.startswith("I2F") and ".RP" in i.op:
            return i
        if i.op.startswith(("IMAD.HI", "UIMAD.HI")):
            return i
    return None


def in_flight(loop):
    """Bytes that a thread has asked for and not yet waited for, at most, over two rounds of the loop."""
    asks = is_weight if any(is_weight(i) for i in loop) else is_cache
    waiting, most = [], 0
    for i in loop + loop:
        for n, (registers, _) in enumerate(waiting):
            if any(r in registers for r in i.reads + i.writes):
                waiting = waiting[n + 1:]  # loads of one path come back in their order
                break
        if asks(i):
            waiting.append((set(i.writes), 4 * len(i.writes)))
            most = max(most, sum(size for _, size in waiting))
    return most


def judge(loop):
    """What must not be in a loop, and what --lenient only notes."""
    faults, notes = [], []
    narrow = [i for i in loop if is_weight(i) and not is_wide(i)]
    if narrow and any(is_weight(i) and is_wide(i) for i in loop):
        faults.append(f"{narrow[0]} loads less than 16 bytes")
    elif narrow:
        faults.append(f"{narrow[0]}: no load of 16 bytes")
    divided = divides(loop)
    if divided:
        constant = "HI" in divided.op and re.search(r", -?0x[0-9a-f]+,", divided.operands)
        (notes if constant else faults).append(f"{divided} divides integers{' by a constant' if constant else ''}")
    multiplied = multiplies_64(loop)
    if multiplied:
        faults.append(f"{multiplied} multiplies 64-bit numbers")
    # ptxas also leaves a loop by a CALL to a label of the same function, which never returns: a jump.
    calls = [i for i in loop if i.op.startswith("CALL") and not i.target]
    slow = [i for i in calls if "slowpath" in i.operands]
    faults += [f"{i} calls" for i in calls if i not in slow][:1]
    notes += [f"{i} calls the slow path of a float operation" for i in slow][:1]
    return faults, notes


def place_of(loop):
    """The template line of its first load that is not in the vocabulary."""
    for i in loop:
        if (is_ring(i) or i.op.startswith("LD")) and i.where:
            return i.where
    return "?"


def check(functions, threads, target, name, out, lenient=False):
    facts = {k: v["value"] for k, v in target.items() if isinstance(v, dict)}
    need = facts["dram_gbs"] / facts["sms"] * facts["dram_latency_ns"]
    failed = 0
    decodes = {n: f for n, f in functions.items() if n.startswith("decode")}
    if not decodes:
        raise SystemExit(f"sass.py: {name}: there is no decode function")
    for function, (code, labels) in sorted(decodes.items()):
        local = next((i for i in code if i.op.startswith(("LDL", "STL"))), None)
        if local:
            failed += 1
            out(f"{name:14} {function:14} FAILED: {local} uses local memory")
        hot, stray = hot_loops(code, labels)
        if stray:
            failed += 1
            out(f"{name:14} {function:14} FAILED: {stray[0]} at {stray[0].where} loads weights outside any loop")
        if not any(k in ("weights", "ring") for k, _, _ in hot):
            failed += 1
            out(f"{name:14} {function:14} FAILED: no loop that loads weights was found")
        for kind, loop, whole in hot:
            (faults, notes), flight = judge(loop), ""
            faults, notes = (faults, notes) if lenient else (faults + notes, [])
            if kind in ("weights", "cache") and whole:
                bytes_ = in_flight(loop) * threads
                flight = f"{in_flight(loop) // 16:3} x 16 B x {threads:4} = {bytes_ / 1024:5.1f} KiB in flight, {need / 1024:4.1f} needed"
                if bytes_ < need and not place_of(loop).startswith("draw.cu:"):  # there workers read each other's few numbers
                    faults.append("too few loads in flight")
            failed += bool(faults)
            result = "FAILED: " + "; ".join(faults) if faults else "; ".join(["ok"] + notes)
            out(f"{name:14} {function:14} {loop[0].address:05x} {kind:7} {place_of(loop):24} {len(loop):4} instructions  {flight:52} {result}")
    return failed


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("sass")
    p.add_argument("--threads", type=int, required=True)
    p.add_argument("--target", required=True)
    p.add_argument("--name", default="card")
    p.add_argument("--lenient", action="store_true")
    a = p.parse_args()
    with open(a.sass) as f, open(a.target) as t:
        failed = check(read(f.read()), a.threads, json.load(t), a.name, print, a.lenient)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
