"""Fails unless evaluations counted the same images at the same loss.

    check_equal_losses.py ONE.json OTHER.json

Batches of other sizes add in another order: losses differ by rounding.
"""
import json
import sys

one, other = (json.load(open(path)) for path in sys.argv[1:])
assert one["images"] == other["images"] > 0, (one, other)
assert one["correct"] == other["correct"], (one, other)
assert abs(one["loss"] - other["loss"]) < 1e-4 * abs(other["loss"]), (one, other)
