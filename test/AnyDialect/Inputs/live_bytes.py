"""live_bytes.py FUNCTION COMPARISON: the most bytes live at once in a function
of one block, read from standard input in MLIR's generic form with local scope;
for the comparison see promise.py.

Shares no code with Reprise and counts by the definition on remat-to-budget's
page: a storage lives from the op that makes it to the last that reads it, both
included, in multiples of 64 bytes; who reads a view reads what it is made of;
arguments and constants are not counted, copies of them that are returned are.
"""

import re
import sys

import promise

WIDTHS = {"i1": 1, "i8": 1, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
CONSTANTS = {"arith.constant", "tosa.const", "tosa.const_shape"}
VIEWS = {"tensor.cast", "tensor.expand_shape", "tensor.collapse_shape", "tosa.reshape"}
VALUE = r"%\w+(?:#\d+)?"


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
    sys.exit(f"no function '{function}' that ends")


def split_types(text):
    parts, depth, last = [], 0, 0
    for at, char in enumerate(text):
        if char in "<(":
            depth += 1
        elif char == ")" or (char == ">" and text[at - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
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


def round_up(size):
    return (size + 63) // 64 * 64


def numbers(text, name):
    match = re.search(rf"\b{name} = array<i\d+(?:: ([-\d, ]*))?>", text)
    if not match:
        return None
    return [int(part) for part in (match[1] or "").split(",") if part]


def integer(text, name):
    match = re.search(rf"\b{name} = (\d+) : i64", text)
    return int(match[1]) if match else None


class Op:
    def __init__(self, text):
        head = re.match(r'\s*(?:(%\w+)(?::(\d+))? = )?"([^"]+)"\(([^)]*)\)', text)
        self.name = head[3]
        self.operands = re.findall(VALUE, head[4])
        count = int(head[2] or 1) if head[1] else 0
        self.results = [head[1]]
        if count != 1:
            self.results = [f"{head[1]}#{k}" for k in range(count)]
        rest = text[head.end() :]
        self.read = set(self.operands + re.findall(VALUE, rest))
        # Properties stand before the regions, attributes and types behind.
        front, _, back = rest.partition("({")
        back = back.rpartition("})")[2] if back else front
        self.view = 0 if self.name in VIEWS else integer(back, "remat.view")
        self.workspace = integer(back, "remat.workspace") or 0
        self.bytes = numbers(back, "remat.bytes") or self.bytes_of_types(back)
        self.places = self.find_places(front, back)
        self.types = split_types(back.rpartition(" : (")[2].partition(") -> ")[0])

    def bytes_of_types(self, text):
        if self.name == "tensor.empty" or self.view is not None:
            return [0]
        made = text.rpartition(" : (")[2].partition(" -> ")[2].strip()
        made = made[1:-1] if made.startswith("(") else made
        return [size_of(part) for part in split_types(made)]

    def find_places(self, front, back):
        """By result: the operands whose storage it may take."""
        pairs = numbers(back, "remat.in_place")
        segments = numbers(front, "operandSegmentSizes")
        if pairs is not None:
            pairs = list(zip(pairs[::2], pairs[1::2]))
        elif self.name.startswith("linalg.") and segments:
            pairs = [(k, segments[0] + k) for k in range(len(self.results))]
        return [
            [self.operands[operand] for result, operand in pairs or [] if result == k]
            for k in range(len(self.results))
        ]


class Counter:
    def __init__(self, ops):
        self.returned = ops.pop()
        views = [op for op in ops if op.view is not None]
        self.base = {op.results[0]: op.operands[op.view] for op in views}
        # Reading a view reads whatever it is made of.
        self.made_of = {op.results[0]: op.read for op in views}
        self.steps = [op for op in ops if op.view is None and op.name not in CONSTANTS]
        self.kept = {root for value in self.returned.operands for root in self.roots(value)}
        self.last = {}
        for step, op in enumerate(self.steps):
            for value in [*op.results, *op.read]:
                for root in self.roots(value):
                    self.last[root] = step
        for value in self.kept:
            self.last[value] = len(self.steps) - 1
        self.storages = []  # [bytes, first step, last step, is kept]
        self.storage_of = {}  # by value that is no view

    def root(self, value):
        while value in self.base:
            value = self.base[value]
        return value

    def roots(self, value):
        if value not in self.made_of:
            return [value]
        return [root for part in self.made_of[value] for root in self.roots(part)]

    def find(self, value):
        return self.storage_of.get(self.root(value))

    def may_take(self, op, operand, size, step):
        """Whether nothing but this operand needs the storage it is in."""
        storage = self.find(operand)
        if storage is None or storage[0] != size or storage[2] != step or storage[3]:
            return False
        reads = [root for value in op.read for root in self.roots(value)]
        return sum(self.storage_of.get(root) is storage for root in reads) == 1

    def place(self, op, index, step):
        value, size = op.results[index], op.bytes[index]
        storage = [size, step, step, False]
        taken = [self.storage_of.get(other) for other in op.results]
        for operand in op.places[index]:
            found = self.find(operand)
            if self.may_take(op, operand, size, step) and found not in taken:
                storage = found
                break
        else:
            self.storages.append(storage)
        storage[2] = self.last[value]
        storage[3] = value in self.kept
        self.storage_of[value] = storage

    def count(self):
        for step, op in enumerate(self.steps):
            for index, size in enumerate(op.bytes):
                if size:
                    self.place(op, index, step)
        live = [round_up(op.workspace) for op in self.steps]
        for size, first, last, _ in self.storages:
            for step in range(first, last + 1):
                live[step] += round_up(size)
        return max(live + [self.count_returning()], default=0)

    def count_returning(self):
        """What is returned, and copies of what nobody hands over: arguments,
        constants, parts of other values and what is returned twice."""
        total, handed_over = sum(round_up(size) for size, _, _, kept in self.storages if kept), set()
        for value, type_ in zip(self.returned.operands, self.returned.types):
            storage = self.find(value)
            parts = {root for root in self.roots(value) if root in self.storage_of}
            is_owned = parts == {self.root(value)} and id(storage) not in handed_over
            handed_over.add(id(storage))
            if not is_owned:
                total += round_up(storage[0] if storage else size_of(type_))
        return total


if __name__ == "__main__":
    statements = read_statements(sys.stdin.readlines(), sys.argv[1])
    counted = Counter([Op(text) for text in statements]).count()
    promise.check(counted, sys.argv[2:])
