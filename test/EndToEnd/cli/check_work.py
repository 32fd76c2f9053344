"""Checks what more effort makes of a plan: check_work.py COMMAND..."""

import json
import subprocess
import sys


def plan(*more):
    done = subprocess.run(sys.argv[1:] + list(more), check=True, stdout=subprocess.PIPE)
    (found,) = json.loads(done.stdout)["plans"]
    return found


hardly, usual, one = plan("--plan-work", "0.02"), plan(), plan("--plan-work", "1")
assert usual == one, (usual, one)
assert usual["bound_ms"] <= usual["step_ms"] < hardly["step_ms"], (hardly, usual)

assert plan("--plan-effort", "normal") == usual
effort = {name: plan("--plan-effort", name) for name in ("quick", "normal", "thorough")}
for name, found in effort.items():
    assert found["peak_bytes"] <= found["budget_bytes"], (name, found)
    assert found["bound_ms"] <= found["step_ms"], (name, found)
assert effort["thorough"]["step_ms"] <= effort["quick"]["step_ms"], effort
assert effort["normal"]["step_ms"] <= effort["quick"]["step_ms"], effort
# Not only another name: the smallest budget is searched for longer.
assert effort["thorough"]["smallest"] != effort["quick"]["smallest"], effort
