"""check_beside.py TRACE THREAD WHAT: in a trace of --profile-trace, the events
of THREAD have WHAT in their names, follow one another, begin after their step
did, and end with the run's step at the latest."""
import json
import sys

events = [e for e in json.load(open(sys.argv[1]))["traceEvents"]
          if e["ph"] == "X"]
thread, what = int(sys.argv[2]), sys.argv[3]
steps = {(e["args"]["step"], e["args"]["index"]): e for e in events
         if e["tid"] == 1 and e["cat"] != "run"}
runs = {e["args"]["step"]: e for e in events if e["name"] == "step"}
beside = sorted((e for e in events if e["tid"] == thread), key=lambda e: e["ts"])
assert beside, "nothing runs on thread %d" % thread
end = 0
for event in beside:
    assert what in event["name"], event
    assert event["ts"] >= end - 1e-3, event
    end = event["ts"] + event["dur"]
    own = steps[event["args"]["step"], event["args"]["index"]]
    assert own["name"] == event["name"]
    assert event["ts"] >= own["ts"] - 1e-3, (event, own)
    run = runs[event["args"]["step"]]
    assert end <= run["ts"] + run["dur"] + 1e-3, (event, run)
