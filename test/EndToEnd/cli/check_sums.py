"""Another choice for a sum counts it and what it adds to once.

check_sums.py ARTIFACT STEPS, these as 'inspect --steps --json' shows them."""

import json
import subprocess
import sys

artifact, steps = sys.argv[1], json.load(open(sys.argv[2]))
choices = {}
for entry in steps["entries"]:
    for step in entry["step_list"]:
        if step["op"] != "conv2d_input_grad_add":
            continue
        name = step["module"] + ":" + step["op"]
        run = subprocess.run(["reprise", "why", artifact, name, "--json"],
                             capture_output=True, check=True)
        story = json.loads(run.stdout)
        if story["other_choice"]["possible"]:
            choices[name] = story["other_choice"]["peak_bytes"], story["bytes"]
assert choices
assert all(2 * more < own for more, own in choices.values()), choices
