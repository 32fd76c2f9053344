"""mutate.py REPRISE WORK COUNT SEED STEP...: hands mutated steps to `reprise
rematerialize`. It must end by itself, with success or a message, within
LIMIT seconds; prints how many it took and refused."""

import os
import random
import subprocess
import sys
import time

LIMIT = 20
WORDS = ["tensor<4x?xf32>", "tensor<*xf32>", "9223372036854775807", "-1", "0", "%arg0", "i64",
         "tensor<99999999999x99999999xf32>", "dims = []", "dense<0>", "({", "})", "<", ">",
         "stablehlo.add", "\"stablehlo.other\"", "call @main", "{", "}", "array<i64: 3>",
         "return", "[", "]", "\"", "loc(", "\\00", "\x80", "tf.aliasing_output = 7 : i32",
         "!stablehlo.token", "tuple<i1>", "complex<f32>", "bf16", "#stablehlo<x>", "private"]


def mutate(text, rng):
    # Half of them change a digit alone, which most often still parses.
    only = 6 if rng.random() < 0.5 else None
    for _ in range(1 if only else rng.choice([1, 1, 2, 4, 16])):
        kind, at = only or rng.randrange(7), rng.randrange(len(text))
        end = min(len(text), at + rng.choice([1, 3, 10, 60, 400]))
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + text[at:end] + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif kind == 3:
            text = text[:at] + chr(rng.randrange(1, 127)) + text[at + 1:]
        elif kind in (4, 5):
            lines = text.split("\n")
            one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            if kind == 4:
                lines[one], lines[other] = lines[other], lines[one]
            else:
                del lines[one]
            text = "\n".join(lines)
        else:
            digits = [place for place, char in enumerate(text) if char.isdigit()]
            if digits:
                place = rng.choice(digits)
                text = text[:place] + rng.choice("0123456789") + text[place + 1:]
        if not text:
            return " "
    return text


def main():
    reprise, work, count, seed = sys.argv[1:3] + [int(arg) for arg in sys.argv[3:5]]
    sources = []
    for path in sys.argv[5:]:
        with open(path, encoding="utf-8") as file:
            sources.append(file.read())
    os.makedirs(work, exist_ok=True)
    path, outcomes, slowest = os.path.join(work, "mutated.mlir"), {}, 0
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(mutate(rng.choice(sources), rng))
        begin = time.monotonic()
        try:
            done = subprocess.run(
                [reprise, "rematerialize", path, "--budget", "80%", "--effort", "quick",
                 "--threads", "1", "-o", os.path.join(work, "out.mlir")],
                capture_output=True, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            sys.exit(f"module {number} of seed {seed} takes more than {LIMIT} s: {path}")
        slowest = max(slowest, time.monotonic() - begin)
        if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stderr):
            sys.exit(f"module {number} of seed {seed} ends with {done.returncode}: {path}")
        outcomes[done.returncode] = outcomes.get(done.returncode, 0) + 1
    print(f"{outcomes.get(0, 0)} planned, {outcomes.get(1, 0)} refused, "
          f"slowest {slowest:.2f} s")


main()
