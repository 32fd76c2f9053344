"""A curve falls, stays above its bound, and below the other methods."""

import json
import sys

(sweep,) = json.load(open(sys.argv[1]))
curve = sweep["curve"]
assert curve[0]["peak_bytes"] == sweep["smallest"]["bytes"]
assert curve[-1]["peak_bytes"] == sweep["without_recomputation"]["bytes"]
for left, right in zip(curve, curve[1:]):
    assert left["peak_bytes"] < right["peak_bytes"]
    assert left["step_ms"] > right["step_ms"]
for point in curve:
    assert point["bound_ms"] <= point["step_ms"] * (1 + 1e-9)
kinds = {b["kind"] for b in sweep["baselines"]}
assert kinds == {"mode", "solver"}
for other in sweep["baselines"]:
    assert other["peak_bytes"] >= sweep["proven_bytes"]
