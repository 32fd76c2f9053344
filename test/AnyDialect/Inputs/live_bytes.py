"""live_bytes.py FUNCTION: the most bytes live at once in a function of one
block, read from standard input in MLIR's generic form with local scope.

Knows nothing of Reprise but the attributes that say bytes, views, places and
workspaces. Counts by the definition of remat-to-budget's page: a storage lives
from the op that makes it to the last that reads it, both included, in multiples
of 64 bytes; arguments and constants are not counted.
"""

import re
import sys

WIDTHS = {"i1": 1, "i8": 1, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8, "index": 8}
CONSTANTS = {"arith.constant", "tosa.const", "tosa.const_shape"}
VIEWS = {"tensor.cast", "tensor.expand_shape", "tensor.collapse_shape", "tosa.reshape", "remat.barrier"}


def read_statements(lines, function):
    """The ops of a function's body, each as one text with its regions."""
    statements, depth, inside, text = [], 0, False, ""
    for line in lines:
        if not inside:
            inside = '"func.func"' in line and f'sym_name = "{function}"' in line
            continue
        if depth == 0 and line.strip().startswith("^bb0"):
            continue
        depth += line.count("({") - line.count("})")
        if depth < 0:
            return statements
        text += line
        if depth == 0:
            statements.append(text)
            text = ""
    sys.exit(f"no function '{function}'")


def split_types(text):
    parts, depth, last = [], 0, 0
    for at, char in enumerate(text):
        depth += char in "<(" and 1 or char in ")" and -1 or (char == ">" and text[at - 1] != "-") and -1 or 0
        if char == "," and depth == 0:
            parts.append(text[last:at].strip())
            last = at + 1
    return [part for part in parts + [text[last:].strip()] if part]


def size_of(text):
    match = re.fullmatch(r"tensor<((?:\d+x)*)(\w+)>", text)
    if not match:
        if text.startswith(("tensor", "memref")):
            sys.exit(f"what are the bytes of {text}?")
        return 0
    size = WIDTHS[match[2]]
    for extent in match[1].split("x")[:-1]:
        size *= int(extent)
    return size


def numbers(text, name):
    match = re.search(rf"\b{name} = array<i\d+(?:: ([-\d, ]*))?>", text)
    return [int(part) for part in (match[1] or "").split(",") if part] if match else None


def integer(text, name):
    match = re.search(rf"\b{name} = (\d+) : i64", text)
    return int(match[1]) if match else None


class Op:
    def __init__(self, text):
        head = re.match(r'\s*(?:(%\w+)(?::(\d+))? = )?"([^"]+)"\(([^)]*)\)', text)
        self.name = head[3]
        self.operands = [part.strip() for part in head[4].split(",") if part.strip()]
        count = int(head[2] or 1) if head[1] else 0
        self.results = [head[1]] if count == 1 else [f"{head[1]}#{k}" for k in range(count)]
        rest = text[head.end() :]
        self.read = list(dict.fromkeys(self.operands + re.findall(r"%\w+(?:#\d+)?", rest)))
        # Attributes of the op itself are behind its regions.
        own = rest[rest.rfind("})") + 2 :] if "({" in rest else rest
        front = rest[: rest.find("({")] if "({" in rest else rest
        outs = own[own.rfind(" : (") :].split(" -> ", 1)[1].strip()
        outs = outs[1:-1] if outs.startswith("(") else outs
        said = numbers(own, "remat.bytes")
        self.view = integer(own, "remat.view")
        if self.name in VIEWS:
            self.view = 0
        empty = self.name == "tensor.empty" or self.view is not None
        self.bytes = said or [0 if empty else size_of(out) for out in split_types(outs)]
        self.workspace = integer(own, "remat.workspace") or 0
        pairs = numbers(own, "remat.in_place")
        self.pairs = list(zip(pairs[::2], pairs[1::2])) if pairs else []
        segments = numbers(front, "operandSegmentSizes")
        if self.name.startswith("linalg.") and segments and pairs is None:
            self.pairs = [(k, segments[0] + k) for k in range(len(self.results))]


def round_up(size):
    return (size + 63) // 64 * 64


def count(ops):
    returned = ops.pop()
    base = {}  # of a view
    steps = []
    for op in ops:
        if op.name in CONSTANTS:
            continue
        if op.view is not None:
            base[op.results[0]] = op.operands[op.view]
        else:
            steps.append(op)

    def root(value):
        while value in base:
            value = base[value]
        return value

    made, last = {}, {}
    for step, op in enumerate(steps):
        for result, size in zip(op.results, op.bytes):
            made[result] = size
            last[result] = step
        for value in map(root, op.read):
            if value in made:
                last[value] = step
    kept = set(map(root, returned.operands))
    storage = {}  # of a value: an index
    sizes, begins, ends, ended = [], [], [], []
    for step, op in enumerate(steps):
        taken = set()
        for index, result in enumerate(op.results):
            if not made[result]:
                continue
            place = None
            for number, operand in op.pairs:
                found = storage.get(root(op.operands[operand]))
                others = [v for v in op.read if storage.get(root(v)) == found]
                if (
                    number == index
                    and found is not None
                    and found not in taken
                    and ends[found] == step
                    and not ended[found]
                    and sizes[found] == made[result]
                    and others == [op.operands[operand]]
                ):
                    place = found
            if place is None:
                place = len(sizes)
                sizes.append(made[result])
                begins.append(step)
                ends.append(step)
                ended.append(False)
            taken.add(place)
            storage[result] = place
            ended[place] = result in kept
            ends[place] = len(steps) - 1 if result in kept else last[result]
    return max(
        op.workspace and round_up(op.workspace) or 0
        for op in [returned]
    ) if not steps else max(
        round_up(op.workspace)
        + sum(round_up(size) for size, begin, end in zip(sizes, begins, ends) if begin <= step <= end)
        for step, op in enumerate(steps)
    )


if __name__ == "__main__":
    print(count([Op(text) for text in read_statements(sys.stdin, sys.argv[1])]))
