"""check_compare.py COMPARED PLANNED BUDGET: what plan --compare --json says
against plan --json of every mode, and of the budget."""
import json
import sys

compared, planned, budget = (json.load(open(path))["plans"]
                             for path in sys.argv[1:])
rows = compared[0]["modes"]
peaks = {row["checkpointing"]: row["peak_bytes"] for row in planned}
fixed = {row["checkpointing"]: row["fixed_bytes"] for row in planned}
none = rows[0]
assert none["checkpointing"] == "none" and none["saved_bytes"] == 0
assert none["step_ms"] > 0 and none["added_time"] == 0
for row in rows:
    assert row["saved_bytes"] == none["peak_bytes"] - row["peak_bytes"], row
    share = row["saved_bytes"] / none["peak_bytes"]
    assert abs(row["saved_share"] - share) < 1e-9, row
    added = row["step_ms"] / none["step_ms"] - 1
    assert abs(row["added_time"] - added) < 1e-9, row
    mode = row["checkpointing"]
    if mode in peaks:
        assert row["peak_bytes"] == peaks.pop(mode), row
        assert row["fixed_bytes"] == fixed[mode], row
assert not peaks, peaks
assert any(row["saved_bytes"] > 0 for row in rows), rows
last = rows[-1]
assert last["checkpointing"] == "budget 95%", last
assert last["peak_bytes"] <= 0.95 * none["peak_bytes"] + 1, last
plan = budget[0]
assert last["peak_bytes"] == plan["peak_bytes"], (last, plan)
assert abs(last["step_ms"] - plan["step_ms"]) < 1e-6, (last, plan)
