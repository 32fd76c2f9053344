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
