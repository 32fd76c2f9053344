"""Every way out of a refusal is one; less than the smallest is refused."""

import json
import subprocess
import sys

answer, command = json.load(open(sys.argv[1])), sys.argv[2:]


def plan(*flags):
    run = subprocess.run([*command, *flags, "--json"], capture_output=True)
    return run.returncode == 0, json.loads(run.stdout)["plans"]


(refusal,) = answer["plans"]
assert not refusal["feasible"] and "cannot be trained" in answer["error"]
budgets = [int(w["bytes"]) for w in refusal["ways_out"] if "--budget" in w["flags"]]
assert 1 <= len(refusal["ways_out"]) <= 2
assert len({w["flags"] for w in refusal["ways_out"]}) == len(refusal["ways_out"])
# Two budgets are two choices.
assert len(budgets) < 2 or max(budgets) > 1.01 * min(budgets), budgets
for way in refusal["ways_out"]:
    flags = way["flags"].split()
    if "--budget" not in flags:
        flags += ["--budget", str(refusal["budget_bytes"])]
    accepted, told = plan(*flags)
    assert accepted, way
    # A smaller batch is only looked for.
    assert ("bytes" in way) != ("--batch" in flags), way
    if "bytes" not in way:
        continue
    assert told[0]["peak_bytes"] == way["bytes"], (way, told)
    assert abs(told[0]["step_ms"] - way["milliseconds"]) < 1e-9, (way, told)
# The listed values add up to the proven bytes, each rounded up to 64 bytes.
pinned = sum(v["bytes"] for v in refusal["pinned"])
proven = refusal["proven_bytes"] - refusal["fixed_bytes"]
assert abs(proven - pinned) <= 64 * (1 + len(refusal["pinned"])), refusal
smallest = refusal["smallest"]["bytes"]
accepted, told = plan("--budget", str(smallest))
assert accepted and told[0]["peak_bytes"] == smallest
assert not plan("--budget", str(smallest - 1))[0]
