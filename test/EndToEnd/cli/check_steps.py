"""check_steps.py FOLDER N: curves of training have the steps 1 to N."""
import sys

from event_files import read_events

_, scalars, _ = read_events(sys.argv[1])
steps = sorted(scalars["train/loss"])
assert steps == list(range(1, int(sys.argv[2]) + 1)), steps
