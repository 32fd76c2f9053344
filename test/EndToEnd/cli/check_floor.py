"""No mode takes less than the smallest budget; what one takes is a budget."""

import json
import subprocess
import sys

command = sys.argv[1:]


def run(*flags):
    told = subprocess.run([*command, *flags, "--json"], capture_output=True)
    return told.returncode, json.loads(told.stdout)["plans"]


# Met or refused, the answer names the smallest budget.
code, (whole,) = run("--budget", "99%")
assert (code == 0) == whole["feasible"]
smallest = whole["smallest"]["bytes"]
assert whole["proven_bytes"] <= smallest
code, rows = run()
assert code == 0 and len(rows) > 5
least = min(rows, key=lambda row: row["peak_bytes"])
for row in rows:
    peak = row["peak_bytes"]
    assert peak >= smallest, (row["checkpointing"], peak, smallest)
peak = least["peak_bytes"]
code, (met,) = run("--budget", str(peak))
assert code == 0 and met["feasible"] and met["peak_bytes"] <= peak, met
assert 0 < met["bound_ms"] <= met["step_ms"] * (1 + 1e-9), met
# Bytes that hold the step as it is need no search for a smallest budget.
if peak < whole["without_recomputation"]["bytes"]:
    assert met["smallest"]["bytes"] == smallest
code, (refused,) = run("--budget", str(smallest - 1))
assert code == 1 and not refused["feasible"]
