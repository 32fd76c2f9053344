"""The largest batch fits the budget of the command, one more does not."""

import json
import subprocess
import sys

(found,), command = json.load(open(sys.argv[1]))["plans"], sys.argv[2:]


def fits(batch):
    run = subprocess.run([*command, "--batch", str(batch), "--json"],
                         capture_output=True)
    return json.loads(run.stdout)["plans"][0] if run.returncode == 0 else None


batch = found["largest"]["batch"]
assert fits(batch)["peak_bytes"] == found["largest"]["peak_bytes"]
assert fits(batch + 1) is None
plain = found["without_recomputation"]["batch"]
assert 1 <= plain <= batch
assert fits(plain)["recomputed_ms"] == 0
more = fits(plain + 1)
assert more is None or more["recomputed_ms"] > 0
