"""Every value at the peak has a story that agrees with the list."""

import json
import subprocess
import sys

peak, command = json.load(open(sys.argv[1])), sys.argv[2:]
assert peak["values"]
sizes = [value["bytes"] for value in peak["values"]]
assert sizes == sorted(sizes, reverse=True)
assert sum(sizes) <= peak["live_bytes"]
told = 0
for value in peak["values"][:4]:
    if value["name"].startswith("workspace of "):
        continue
    run = subprocess.run([*command, value["name"], "--json"],
                         capture_output=True, check=True)
    story = json.loads(run.stdout)
    called = [life["name"] for life in story["lifetimes"]]
    assert value["name"] in called and story["at_peak"], story
    assert story["why"] and story["readers"]
    assert any(life["first_step"] <= peak["peak_step"] <= life["last_step"]
               for life in story["lifetimes"])
    other = story["other_choice"]
    if other["possible"]:
        # To keep what is computed again saves time, the opposite costs it.
        saves = -1 if story.get("times") else 1
        assert other["executions"] > 0 and saves * other["milliseconds"] > 0
    told += 1
assert told
