"""check_trace_programs.py TRACE FIRST LAST NAME...: a trace of a run of several
programs, whose steps are called by these; each has steps of its own."""
import collections
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
traced = range(int(sys.argv[2]), int(sys.argv[3]) + 1)
names = sys.argv[4:]
spans = {event["args"]["step"]: event for event in events
         if event["ph"] == "X" and event["name"].startswith("step of ")}
assert sorted(spans) == list(traced), sorted(spans)
ops = collections.defaultdict(list)
for event in events:
    if event["ph"] == "X" and event["cat"] != "run":
        ops[event["args"]["step"]].append(event)
programs = {}
for number in traced:
    span = spans[number]
    name = span["name"][len("step of "):]
    assert span["args"]["program"] == name
    assert all(op["args"]["program"] == name for op in ops[number]), number
    mine = [(op["name"], op["args"]["module"], op["args"]["bytes"])
            for op in ops[number]]
    assert [op["args"]["index"] for op in ops[number]] == list(range(len(mine)))
    assert programs.setdefault(name, mine) == mine, name
    last = ops[number][-1]
    assert ops[number][0]["ts"] >= span["ts"] - 1e-3
    assert last["ts"] + last["dur"] <= span["ts"] + span["dur"] + 1e-3
assert sorted(programs) == sorted(names), sorted(programs)
for name in names:
    for other in names:
        assert name == other or programs[name] != programs[other], (name, other)
