"""why, inspect and report call what is in memory at the peak the same."""

import json
import re
import sys

why, inspected = (json.load(open(path)) for path in sys.argv[1:3])
page = open(sys.argv[3]).read()
(told,) = re.findall(r'id="facts">(.*?)</script>', page, re.S)
report = json.loads(told)
names = report["names"]
(step,) = [e for e in inspected["entries"] if e["name"] == "train_step"]
(drawn,) = [e for e in report["entries"] if e["name"] == "train_step"]

peak = why["peak_step"]
assert peak == step["peak_step"] == drawn["peakStep"]
assert why["steps"] == step["steps"] == len(drawn["steps"])
op, module = (names[n] for n in drawn["steps"][peak][:2])
assert why["peak_op"] == (module + ":" if module else "") + op


def at_peak(buffers):
    return sorted(b for b in buffers if b[2] <= peak <= b[3])


by_why = sorted((v["name"], v["bytes"], v["first_step"], v["last_step"])
                for v in why["values"])
by_inspect = at_peak((b["name"], b["bytes"], b["first_step"], b["last_step"])
                     for b in step["buffer_list"])
by_report = at_peak((names[n], size, first, last)
                    for n, _, _, size, first, last, _ in drawn["buffers"])
assert by_why == by_inspect, (by_why, by_inspect)
assert by_why == by_report, (by_why, by_report)
assert sum(v["bytes"] for v in why["values"]) <= why["live_bytes"]

# No name twice in an entry.
every = [b["name"] for b in step["buffer_list"]]
assert len(every) == len(set(every)), sorted(every)

# A value's module is the one of the step that makes it.
for value in why["values"]:
    kind = [b["kind"] for b in step["buffer_list"]
            if b["name"] == value["name"]]
    if kind != ["input"]:
        maker = drawn["steps"][value["first_step"]]
        assert names[maker[1]] == value["module"], value
