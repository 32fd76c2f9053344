"""Fails unless a run's last loss is that of another framework.

    check_last_loss.py RUN.json LOSSES.json
"""
import json
import sys

run, losses = (json.load(open(path)) for path in sys.argv[1:])
assert run["steps"] == len(losses), run
assert abs(run["loss"] - losses[-1]) < 1e-5 * losses[-1], (run["loss"], losses)
