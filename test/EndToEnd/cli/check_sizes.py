"""check_sizes.py RUN.json PROGRAMS [BUDGET]: what a run of several sizes says of its
programs. Each took what was predicted, within a budget of so many bytes."""
import json
import sys

run = json.load(open(sys.argv[1]))
programs = run["programs"]
assert len(programs) == int(sys.argv[2]), [p["name"] for p in programs]
most = max(program["predicted_peak_bytes"] for program in programs)
for program in programs:
    assert program["high_water_bytes"] == program["predicted_peak_bytes"], program
if len(sys.argv) > 3:
    assert most <= int(sys.argv[3]), (most, sys.argv[3])
# All that the process holds is the arena of the largest, and more.
assert run["process_predicted_bytes"] > most
assert run["compile_wait_seconds"] >= 0 and run["compile_hidden_seconds"] >= 0
