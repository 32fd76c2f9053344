"""foreign_steps.py MLIR_OPT MLIR_RUNNER PLUGIN LIBRARIES COUNT [FIRST]: random
steps through remat-to-budget at five budgets each, bufferized and run.

Each version computes the bits of the step without the pass, and the bytes that
one-shot-bufferize, buffer-deallocation-pipeline and optimize-allocation-liveness
hold at once are at most those that were promised. What a refusal lists adds up.
"""

import concurrent.futures
import os
import re
import subprocess
import sys

from random_steps import Step, helpers

LOWER = (
    "one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops},buffer-deallocation-pipeline,"
    "func.func(optimize-allocation-liveness,convert-linalg-to-loops),convert-bufferization-to-memref,expand-strided-metadata,lower-affine,"
    "func.func(scf-forall-to-for),convert-scf-to-cf,convert-math-to-libm,"
    "finalize-memref-to-llvm{use-generic-functions use-aligned-alloc},convert-to-llvm,reconcile-unrealized-casts"
)
REFUSED = re.compile(r"the smallest found is [^(]*\((\d+) bytes\)")
PROMISED = re.compile(r"\bbudget_bytes=(\d+), live_bytes=(\d+), live_bytes_plain=(\d+)")
BOUND = re.compile(r"no schedule of these ops lives below [^(]*\((\d+) bytes\)")
LISTED = re.compile(r"note: [\d.]+ \w+ \((\d+) bytes\)")
RECOMPUTED = re.compile(r"\brecomputed=(\d+)")
BATCH = 60  # versions a program


class Tools:
    def __init__(self, opt, runner, plugin, libraries):
        self.opt = [opt, f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"]
        self.opt += ["--mlir-disable-threading", "--mlir-print-local-scope"]
        self.opt += ["--remarks-filter=remat-to-budget", "--remark-format=emitRemark"]
        self.runner = [runner, "-e", "main", "-entry-point-result=void", f"--shared-libs={libraries}"]

    def rewrite(self, text, passes):
        command = [*self.opt, f"--pass-pipeline=builtin.module({passes})"]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

    def execute(self, text):
        lowered = self.rewrite(text, LOWER)
        if lowered.returncode:
            sys.exit(f"cannot be lowered: {lowered.stderr[:4000]}")
        run = subprocess.run(self.runner, input=lowered.stdout, capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"cannot be run: {run.stderr[:4000]}")
        return run.stdout


class Version:
    """A step as the pass leaves it; None for `promised` without the pass."""

    def __init__(self, step, budget, text, promised):
        self.step, self.budget, self.promised = step, budget, promised
        self.text = text[text.index("func.func @step") : text.index("\n  }\n", text.index("func.func @step")) + 5]
        self.held = self.digests = None


def versions_of(tools, seed):
    """The step without the pass and at each budget, and messages of refusals."""
    step = Step(seed)
    text = "\n".join([step.text, *step.callees])
    plain = tools.rewrite(text, "cse,canonicalize")
    if plain.returncode:
        sys.exit(f"seed {seed}: {plain.stderr}\n{text}")
    versions = [Version(step, "none", plain.stdout, None)]

    def rewrite(budget):
        passes = f"cse,remat-to-budget{{function=step {budget} work=0.05 threads=1}},cse,canonicalize,remat-erase-barriers"
        result = tools.rewrite(text, passes)
        if result.returncode:
            return result.stderr, None
        asked, live, plainly = map(int, PROMISED.search(result.stderr).groups())
        if live > asked:
            sys.exit(f"seed {seed}, {budget}: {live} bytes promised, {asked} asked")
        version = Version(step, budget, result.stdout, live)
        version.recomputed = int(RECOMPUTED.search(result.stderr)[1])
        versions.append(version)
        return result.stderr, (live, plainly)

    stderr, promise = rewrite("budget-percent=100")
    if promise is None:
        return versions, [re.search(r"error: (.*)", stderr)[1]]
    most = promise[1]
    stderr, promise = rewrite("budget-bytes=1")
    least, larger = 0, []
    if promise is None:
        found = REFUSED.search(stderr)
        if not found:
            sys.exit(f"seed {seed}: {stderr}\n{text}")
        least = int(found[1])
        bound, listed = BOUND.search(stderr), sum(map(int, LISTED.findall(stderr)))
        if bound and listed != int(bound[1]):
            sys.exit(f"seed {seed}: {listed} bytes listed: {stderr}\n{text}")
        larger = [least]
    larger += [least + (most - least) * share // 3 for share in (1, 2)]
    for budget in [*(f"budget-bytes={size}" for size in larger), "knee"]:
        stderr, promise = rewrite(budget)
        if promise is None:
            sys.exit(f"seed {seed}: {budget} is refused: {stderr}\n{text}")
    return versions, []


def program_of(versions):
    """One program that runs all versions, numbered."""
    functions, mains, callees = [], [], set()
    for number, version in enumerate(versions):
        text = version.text.replace("func.func @step(", f"func.func @step_{number}(", 1)
        # Copies that the caller makes of arguments are none of the step's bytes.
        functions.append(text.replace("{\n", "{\n    func.call @heldBegin() : () -> ()\n", 1))
        mains.append(version.step.main(number, f"@step_{number}"))
        callees.update(version.step.callees)
    return "\n".join([helpers(), *sorted(callees), *functions, "func.func @main() {", *mains, "  return", "}"])


def run_batch(tools, versions):
    output = tools.execute(program_of(versions))
    parts = re.split(r"step (\d+) held (\d+)\n", output)
    if parts[0] or len(parts) != 3 * len(versions) + 1:
        sys.exit(f"not the output of {len(versions)} versions: {output[:2000]}")
    for number, held, digests in zip(parts[1::3], parts[2::3], parts[3::3]):
        versions[int(number)].held = int(held)
        versions[int(number)].digests = digests


def check(versions):
    """Messages about versions that compute other bits or hold too much."""
    plain, wrong = versions[0], []
    for version in versions[1:]:
        place = f"seed {version.step.seed}, {version.budget}"
        if version.digests != plain.digests:
            wrong.append(f"{place}: other bits")
        if version.held > version.promised:
            wrong.append(f"{place}: {version.promised} bytes promised, {version.held} held, {plain.held} without the pass")
    return wrong


def main():
    tools = Tools(*sys.argv[1:5])
    count = int(sys.argv[5])
    first = int(sys.argv[6]) if len(sys.argv) > 6 else 0
    # A shard of them, where the environment asks for one as GoogleTest's does.
    shards = int(os.environ.get("GTEST_TOTAL_SHARDS", 1))
    index = int(os.environ.get("GTEST_SHARD_INDEX", 0))
    end = first + count * (index + 1) // shards
    first += count * index // shards
    count = end - first
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda seed: versions_of(tools, seed), range(first, first + count)))
        every = [version for versions, _ in made for version in versions]
        batches = [every[k : k + BATCH] for k in range(0, len(every), BATCH)]
        list(pool.map(lambda batch: run_batch(tools, batch), batches))
    wrong = [text for versions, _ in made for text in check(versions)]
    refused = [text for _, refusals in made for text in refusals]
    for text in refused:
        print(f"refused: {text}")
    print(*wrong, sep="\n")
    rewritten = [version for version in every if version.promised is not None]
    clones = sum(version.recomputed for version in rewritten)
    print(f"{count} steps, {len(refused)} refused; {len(rewritten)} rewritten with {clones} clones, {len(wrong)} wrong")
    if wrong or len(refused) * 10 > count or clones < count:
        sys.exit(1)


if __name__ == "__main__":
    main()
