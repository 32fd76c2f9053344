"""A curve falls, stays above its bound, and below the other methods."""

import json
import sys

(sweep,) = json.load(open(sys.argv[1]))["plans"]
curve = sweep["curve"]
assert curve[0]["peak_bytes"] == sweep["smallest"]["bytes"]
assert curve[-1]["peak_bytes"] <= sweep["without_recomputation"]["bytes"]
for left, right in zip(curve, curve[1:]):
    assert left["peak_bytes"] < right["peak_bytes"]
    assert left["step_ms"] > right["step_ms"]
for point in curve:
    assert point["bound_ms"] <= point["step_ms"] * (1 + 1e-9)
kinds = {b["kind"] for b in sweep["baselines"]}
assert kinds == {"mode", "solver"}
for other in sweep["baselines"]:
    assert other["peak_bytes"] >= sweep["proven_bytes"]
names = [(b["kind"], b["method"], b.get("budget_bytes"))
         for b in sweep["baselines"]]
assert len(set(names)) == len(names), names
plans = {(p["peak_bytes"], p["step_ms"]): p["budget_bytes"] for p in curve}
for other in sweep["baselines"]:
    plan = (other["peak_bytes"], other["step_ms"])
    assert other.get("same_as_budget_bytes") == plans.get(plan), other

# Modes and steps without recomputation have one time, whoever tells it.
(compared,) = json.load(open(sys.argv[2]))["plans"]
modes = {b["method"]: b for b in sweep["baselines"] if b["kind"] == "mode"}
plain = sweep["without_recomputation"]
modes["none"] = {"peak_bytes": plain["bytes"],
                 "step_ms": plain["milliseconds"]}
for row in compared["modes"]:
    mode = modes[row["checkpointing"]]
    assert row["peak_bytes"] == mode["peak_bytes"], (row, mode)
    assert abs(row["step_ms"] - mode["step_ms"]) < 1e-6, (row, mode)
