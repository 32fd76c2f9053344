"""check_beside.py TRACE THREAD WHAT: in a trace of --profile-trace, the events
of THREAD whose name contains WHAT follow one another, begin after their step was
started, and at least one runs while another step of the program does."""
import json
import sys

events = [e for e in json.load(open(sys.argv[1]))["traceEvents"]
          if e["ph"] == "X"]
thread, what = int(sys.argv[2]), sys.argv[3]
steps = [e for e in events if e["tid"] == 1 and e["cat"] != "run"]
beside = sorted((e for e in events if e["tid"] == thread), key=lambda e: e["ts"])
assert beside, "nothing runs on thread %d" % thread
started = {(e["args"]["step"], e["args"]["index"]): e for e in steps}
overlapped = 0
end = 0
for event in beside:
    assert what in event["name"], event
    assert event["ts"] >= end - 1e-3, event
    end = event["ts"] + event["dur"]
    own = started[event["args"]["step"], event["args"]["index"]]
    assert own["name"] == event["name"]
    if "offload" not in what:
        assert event["ts"] >= own["ts"] - 1e-3, (event, own)
    overlapped += any(
        step is not own and step["ts"] < end
        and step["ts"] + step["dur"] > event["ts"] for step in steps)
assert overlapped, "no other step runs beside %d events" % len(beside)
