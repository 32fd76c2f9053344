"""random_functions.py REPRISE_OPT COUNT: functions of random unregistered ops
through remat-to-budget at several budgets.

Each result must compute the same values, run once and in order what must, and
live in as many bytes as promised, counted by live_bytes.py; the smallest budget
that a refusal names must be accepted, and 64 bytes less be refused.
"""

import random
import re
import subprocess
import sys

import live_bytes

REFUSED = re.compile(r"the smallest found is [^(]*\((\d+) bytes\)")
PROMISED = re.compile(r"\bbudget_bytes=(\d+), live_bytes=(\d+)")


def random_op(rng, number, values):
    """One op's text and the values it makes, as (name, type)."""
    kind = rng.choice(["pure"] * 6 + ["fixed", "ordered", "view", "place", "region"])
    # Mostly what was made last, sometimes what was made long ago.
    read = [rng.choice(values[-4:] if rng.random() < 0.6 else values) for _ in range(rng.randint(0 if kind == "pure" else 1, 3))]
    attributes = [f"id = {number}", f"remat.cost = {rng.randint(0, 20) / 10}"]
    types = [f"tensor<{16 * rng.randint(0, 40)}xf32>"]
    if kind != "ordered":
        attributes.append("remat.pure")
    if kind == "fixed":
        attributes.append("remat.fixed")
    if kind == "view":
        types = [read[0][1]]
        attributes.append("remat.view = 0 : i64")
    elif kind == "place":
        types = [read[0][1]]
        attributes.append("remat.in_place = array<i64: 0, 0>")
    else:
        types += rng.choice([[], [], ["index"], [f"tensor<{16 * rng.randint(0, 9)}xf32>"]])
    if rng.random() < 0.2 and kind != "view":
        attributes.append(f"remat.workspace = {rng.randint(0, 2000)} : i64")
    region = ""
    if kind == "region" or (kind == "view" and rng.random() < 0.3):
        name, type_ = rng.choice(values)
        region = f' ({{ "t.in"({name}) : ({type_}) -> () }})'
    count = f":{len(types)}" if len(types) > 1 else ""
    names = [f"%{number}#{k}" for k in range(len(types))] if count else [f"%{number}"]
    operands = ", ".join(name for name, _ in read)
    inputs = ", ".join(type_ for _, type_ in read)
    text = f'  %{number}{count} = "t.{kind}"({operands}){region} {{{", ".join(attributes)}}}'
    return f'{text} : ({inputs}) -> ({", ".join(types)})\n', list(zip(names, types))


def random_function(rng):
    values = [("%x", "tensor<64xf32>"), ("%y", "tensor<256xf32>")]
    text = "func.func @f(%x: tensor<64xf32>, %y: tensor<256xf32>) -> (RESULTS) {\n"
    for number in range(rng.randint(1, 40)):
        op, made = random_op(rng, number, values)
        text += op
        values += made
    returned = [values[-1]] + rng.sample(values, min(2, len(values)))
    types = ", ".join(type_ for _, type_ in returned)
    text += f'  return {", ".join(name for name, _ in returned)} : {types}\n}}\n'
    return text.replace("RESULTS", types)


def run(tool, text, passes):
    command = [tool, "--allow-unregistered-dialect", "--mlir-disable-threading"]
    command += ["--mlir-print-op-generic", "--mlir-print-local-scope"]
    command += ["--remarks-filter=remat-to-budget", "--remark-format=emitRemark"]
    command += [f"--pass-pipeline=builtin.module({passes})"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def ops_of(text):
    lines = text.splitlines(keepends=True)
    statements = live_bytes.read_statements(lines, "f")
    return [(live_bytes.Op(s), re.search(r"\bid = (\d+)", s)) for s in statements]


def expressions(text):
    """What is returned, as hashes of expressions, what runs in order, and what
    runs once."""
    known, once, fixed = {"%arg0": "x", "%arg1": "y"}, [], []
    for op, identity in ops_of(text):
        if identity is None:
            return [known[value] for value in op.operands], once, sorted(fixed)
        captured = sorted(known[value] for value in op.read - set(op.operands))
        key = hash((identity[1], tuple(known[value] for value in op.operands), tuple(captured)))
        for index, result in enumerate(op.results):
            known[result] = hash((key, index))
        if op.name == "t.ordered":
            once.append(key)
        if op.name == "t.fixed":
            fixed.append(key)
    return sys.exit("nothing is returned")


def check(tool, text, budget, seed):
    """The smallest budget where this one is refused, or nothing."""
    passes = f"remat-to-budget{{{budget} work=0.05 threads=1}},cse,canonicalize,remat-erase-barriers"
    result = run(tool, text, passes)
    if result.returncode:
        refused = REFUSED.search(result.stderr)
        if not refused:
            sys.exit(f"seed {seed}, {budget}: {result.stderr}\n{text}")
        return int(refused[1])
    asked, promised = map(int, PROMISED.search(result.stderr).groups())
    counted = live_bytes.Counter([op for op, _ in ops_of(result.stdout)]).count()
    plain = run(tool, text, "canonicalize").stdout
    if counted != promised or promised > asked:
        sys.exit(f"seed {seed}, {budget}: {promised} promised, {counted} live\n{text}")
    if expressions(plain) != expressions(result.stdout):
        sys.exit(f"seed {seed}, {budget}: another meaning\n{text}\n{result.stdout}")
    return None


def main():
    tool, count = sys.argv[1], int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    met = 0
    for seed in range(first, first + count):
        text = random_function(random.Random(seed))
        for budget in ["budget-percent=100", "budget-percent=75", "budget-bytes=1"]:
            smallest = check(tool, text, budget, seed)
            if smallest is None:
                met += 1
                continue
            if check(tool, text, f"budget-bytes={smallest}", seed) is not None:
                sys.exit(f"seed {seed}: the smallest budget is refused\n{text}")
            if check(tool, text, f"budget-bytes={smallest - 64}", seed) is None:
                sys.exit(f"seed {seed}: less than the smallest is met\n{text}")
            met += 1
    print(f"{met} budgets met")


if __name__ == "__main__":
    main()
