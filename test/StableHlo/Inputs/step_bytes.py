"""step_bytes.py STEP_GENERIC ANSWER_JSON [--views fused|reshape]: counts the
bytes that are live at once in a step of StableHLO, in MLIR's generic form with
local scope, and compares them with the promise in `reprise rematerialize
--json`'s answer.

Shares no code with Reprise. A storage lives from the op that makes it to the
last that reads it or a view of it, both included, in multiples of 64 bytes, or
to the end if it is returned. Elementwise ops write over an operand that ends
there. A returned value in a donated argument's storage takes none."""

import json
import re
import sys

WIDTHS = {"i1": 1, "i8": 1, "ui8": 1, "i32": 4, "ui32": 4, "i64": 8, "f16": 2,
          "bf16": 2, "f32": 4, "f64": 8}
MOVING = {"broadcast_in_dim", "transpose", "reverse"}
WINDOWS = {"dot_general", "convolution", "reduce_window", "select_and_scatter"}
IN_PLACE = set(
    "abs add and atan2 cbrt ceil clamp compare convert cosine divide exponential "
    "exponential_minus_one floor is_finite log log_plus_one logistic maximum minimum "
    "multiply negate not or power remainder round_nearest_afz round_nearest_even rsqrt "
    "select sign sine sqrt subtract tan tanh xor reduce_precision".split())


def size_of(text):
    match = re.fullmatch(r"tensor<((?:\d+x)*)(\w+)>", text)
    if not match:
        sys.exit(f"what are the bytes of {text}?")
    size = WIDTHS[match[2]]
    for extent in match[1].split("x")[:-1]:
        size *= int(extent)
    return size


def round_up(size):
    return (size + 63) // 64 * 64


def read_ops(text):
    """Name, operands, results, types of operands and of results, by op."""
    depth, joined, ops = 0, "", []
    arguments = None
    for line in text.splitlines():
        if '"func.func"' in line:
            function, arguments, depth, ops = line, "", 0, []
            continue
        if arguments is None:
            continue
        if depth == 0 and line.strip().startswith("^bb0"):
            arguments = re.findall(r"(%\w+): (tensor<[^>]*>)", line)
            continue
        depth += line.count("({") - line.count("})")
        joined += line + "\n"
        if depth <= 0:
            match = re.match(r'\s*(?:(%\w+)(?::(\d+))? = )?"([^"]+)"\(([^)]*)\)', joined)
            if not match:
                break
            count = int(match[2] or 1) if match[1] else 0
            results = [match[1]] if count == 1 else [f"{match[1]}#{k}" for k in range(count)]
            types = joined.rstrip().rpartition(" : (")[2]
            before, _, after = types.partition(") -> ")
            ops.append((match[3].split(".")[-1],
                        re.findall(r"%\w+(?:#\d+)?", match[4]), results[:count],
                        re.findall(r"tensor<[^>]*>", before),
                        re.findall(r"tensor<[^>]*>", after)))
            joined = ""
            if ops[-1][0] == "return":
                break
    return function, arguments, ops


class Counter:
    def __init__(self, text, views):
        function, arguments, self.ops = read_ops(text)
        self.arguments = dict(arguments)
        self.views = views
        self.users = {}
        for op in self.ops:
            for value in op[1]:
                self.users.setdefault(value, []).append(op)
        self.base, self.free = {}, set(self.arguments)
        for op in self.ops:
            self.note(op)
        self.donated = self.find_donated(function, arguments)

    def note(self, op):
        name, operands, results, _, _ = op
        if name == "optimization_barrier":
            self.base.update(zip(results, operands))
        elif name == "reshape" or (self.views == "fused" and self.is_moving(op)):
            self.base[results[0]] = operands[0]
        elif name == "constant" or (name == "iota" and self.views == "fused"):
            self.free.update(results)

    def is_moving(self, op):
        return op[0] in MOVING or (op[0] == "pad" and self.is_read_by_windows(op[2][0]))

    def is_read_by_windows(self, value):
        return all(self.is_read_by_windows(user[2][0]) if user[0] in MOVING | {"reshape"}
                   else user[0] in WINDOWS for user in self.users.get(value, []))

    def root(self, value):
        while value in self.base:
            value = self.base[value]
        return value

    def find_donated(self, function, arguments):
        returned, found = self.ops[-1][1], {}
        dicts = re.search(r"arg_attrs = \[(.*?)\], function_type", function)
        if not dicts:
            return found
        for place, given in enumerate(re.findall(r"\{([^}]*)\}", dicts[1])):
            aliased = re.search(r"tf.aliasing_output = (\d+)", given)
            if aliased:
                found[self.root(returned[int(aliased[1])])] = arguments[place][0]
        return found

    def takes_donated(self, value, step):
        """Returns true if no op after the one at `step` reads the argument."""
        argument = self.donated[value]
        for at, (name, operands, _, types, made) in enumerate(self.ops[:-1]):
            reads = [type_ for operand, type_ in zip(operands, types)
                     if self.root(operand) == argument]
            if not reads or name == "optimization_barrier" or at < step:
                continue
            direct = argument in operands and name in IN_PLACE and reads[0] == made[0]
            views = name in MOVING | {"reshape"}
            if at > step and not views or at == step and not direct:
                return False
        return True

    def count(self):
        returned = [self.root(value) for value in self.ops[-1][1]]
        last = {}
        for step, (name, operands, _, _, _) in enumerate(self.ops):
            if name == "optimization_barrier":
                continue
            views = {r for r in self.ops[step][2]} & set(self.base)
            for value in operands:
                if not views:
                    last[self.root(value)] = step
        end = len(self.ops) - 1
        storages, storage_of = [], {}
        for step, (name, operands, results, types, made) in enumerate(self.ops[:-1]):
            for value, type_ in zip(results, made):
                if value in self.base or value in self.free:
                    continue
                until = end if value in returned else max(last.get(value, step), step)
                if value in self.donated and self.takes_donated(value, step):
                    continue
                storage = None
                if name in IN_PLACE:
                    for operand, other in zip(operands, types):
                        found = storage_of.get(self.root(operand))
                        if (found and other == type_ and found[2] == step
                                and found[0] == round_up(size_of(type_))
                                and self.root(operand) not in returned):
                            storage = found
                            break
                if storage is None:
                    storage = [round_up(size_of(type_)), step, step]
                    storages.append(storage)
                storage[2] = until
                storage_of[value] = storage
        live = [0] * len(self.ops)
        for size, first, until in storages:
            for step in range(first, until + 1):
                live[step] += size
        return max(live)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    with open(sys.argv[2], encoding="utf-8") as file:
        answer = json.load(file)
    views = sys.argv[4] if len(sys.argv) > 3 else "fused"
    counted, promised = Counter(text, views).count(), answer["plan"]["live_bytes"]
    print(f"{counted} bytes counted, at most {promised}, of {answer['budget_bytes']}")
    if not 0 < counted <= promised <= answer["budget_bytes"]:
        sys.exit(1)


main()
