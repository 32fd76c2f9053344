"""check_trace.py TRACE PROGRAM FIRST LAST: a trace of --profile-trace against
what 'reprise inspect --steps --json' says of the program."""
import collections
import json
import sys

trace = json.load(open(sys.argv[1]))
program = json.load(open(sys.argv[2]))
traced = range(int(sys.argv[3]), int(sys.argv[4]) + 1)
events = trace["traceEvents"]
for event in events:
    assert event["ph"] in "XCM" and event["pid"] == 1, event
    if event["ph"] != "M":
        assert event["ts"] >= 0, event
    if event["ph"] == "X":
        assert event["dur"] >= 0 and event["name"] and event["tid"] in (1, 2, 4)
assert any(e["name"] == "process_name" for e in events)

spans = collections.defaultdict(list)
for event in events:
    if event["ph"] == "X" and event["cat"] == "run":
        spans[event["name"], event["args"]["step"]].append(event)
entry = next(e for e in program["entries"] if e["name"] == "train_step")
names = [step["op"] for step in entry["step_list"]]
assert {step for _, step in spans} == set(traced), spans.keys()
for number in traced:
    for what in ("data", "step", "hooks"):
        assert len(spans[what, number]) == 1, (what, number)
    step = spans["step", number][0]
    ops = [e for e in events if e["ph"] == "X" and e["cat"] != "run"
           and e["args"]["step"] == number and e["tid"] == 1]
    assert [op["name"] for op in ops] == names, number
    assert [op["args"]["index"] for op in ops] == list(range(len(names)))
    at = step["ts"]
    for op in ops:
        # One behind another, within the step; a nanosecond for the sums.
        assert op["tid"] == step["tid"]
        assert op["ts"] > at - 1e-3, (op, at)
        at = op["ts"] + op["dur"]
    assert at <= step["ts"] + step["dur"] + 1e-3, number
    assert sum(op["dur"] for op in ops) > 0
    assert spans["hooks", number][0]["ts"] >= step["ts"] + step["dur"] - 1e-3
counters = [e for e in events if e["ph"] == "C"]
assert len(counters) == len(names) * len(traced)
fixed = {counter["args"]["fixed"] for counter in counters}
assert fixed == {program["fixed_bytes"]}, fixed
most = max(sum(counter["args"].values()) for counter in counters)
assert most == entry["max_live_bytes"], (most, entry["max_live_bytes"])
