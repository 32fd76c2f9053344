"""A plan for a budget against the program compiled for it."""

import json
import sys

(plan,) = json.load(open(sys.argv[1]))["plans"]
compiled = json.load(open(sys.argv[2]))
assert plan["feasible"]
assert plan["proven_bytes"] <= plan["smallest"]["bytes"] <= plan["peak_bytes"]
assert plan["peak_bytes"] <= plan["budget_bytes"]
assert plan["budget_bytes"] < plan["without_recomputation"]["bytes"]
assert 0 < plan["bound_ms"] <= plan["step_ms"] * (1 + 1e-9)
base = plan["without_recomputation"]["milliseconds"]
assert abs(base + plan["recomputed_ms"] - plan["step_ms"]) < 1e-6
costly = [v["milliseconds"] * v["times"] for v in plan["costly"]]
assert costly and costly == sorted(costly, reverse=True) and len(costly) <= 10
assert sum(costly) <= plan["recomputed_ms"] * (1 + 1e-9)
(step,) = [e for e in compiled["entries"] if e["name"] == "train_step"]
assert plan["peak_bytes"] == step["peak_bytes"], (step, plan["peak_bytes"])
assert compiled["budget"]["peak_bytes"] == plan["peak_bytes"]
