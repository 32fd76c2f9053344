"""A step of micro-batches computes no larger share again than one micro-batch
does in as many bytes less as the step needs more without recomputation."""

import json
import subprocess
import sys

command = sys.argv[1:]


def plan(*flags):
    told = subprocess.run([*command, *flags, "--json"], capture_output=True, check=True)
    (found,) = json.loads(told.stdout)["plans"]
    return found


def more(found):
    # Other kernels within a budget may be faster.
    share = found["step_ms"] / found["without_recomputation"]["milliseconds"] - 1
    return max(share, 0)


compared = 0
whole = plan("--accumulate", "2", "--budget", "100%")["without_recomputation"]["bytes"]
for share in ("80%", "90%"):
    one = plan("--budget", share)
    sums = whole - one["without_recomputation"]["bytes"]
    assert sums > 0, one
    both = plan("--accumulate", "2", "--budget", str(one["budget_bytes"] + sums))
    assert more(both) <= more(one) + 1e-3, (more(one), more(both))
    compared += more(one) > 0
assert compared
