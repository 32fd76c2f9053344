"""Trains with clocks that jump, and reads everything that tells a time.

    check_clock.py WORK LIBRARY
"""

import glob
import json
import math
import os
import re
import subprocess
import sys

from event_files import message, read_events, records

work, library = sys.argv[1:]
os.makedirs(work)
os.chdir(work)


def train(state, *options, **more):
    done = subprocess.run(
        ["reprise", "train", "mlp", "--data", "synthetic", "--synthetic-size",
         "64", "--batch", "16", "--threads", "1", "--steps", "20", "--save",
         state, *options],
        text=True, capture_output=True, env={**os.environ, **more})
    assert done.returncode == 0, done.stderr
    return done


train("steady.safetensors")
for part in range(3):  # a file each
    done = train("jumping.safetensors", "--log-dir", "log", "--json",
                 LD_PRELOAD=os.path.abspath(library))
    result = json.loads(done.stdout)
    for key in ("images_per_second", "seconds"):
        value = result.get(key, 0)
        assert math.isfinite(value) and value >= 0, (key, value)
    words = re.findall(r"-[0-9][0-9.]* (?:images|s|min|h)\b|\b(?:nan|inf)\b",
                       done.stderr)
    assert not words, (words, done.stderr)
read = [open(name + ".safetensors", "rb").read()
        for name in ("steady", "jumping")]
assert read[0] == read[1], "other bits"

files, scalars, _ = read_events("log")
assert len(files) == 3
for tag, points in scalars.items():
    assert all(math.isfinite(value) for value in points.values()), tag
    assert min(points.values()) >= 0 or tag.endswith("loss"), (tag, points)
assert sorted(scalars["train/loss"]) == list(range(1, 21))
begins = []
for path in sorted(glob.glob("log/*")):  # as their readers take them
    times = [message(body)[1][0] for body in records(path)]
    assert times == sorted(times), path
    begins.append(times[0])
assert begins == sorted(begins), begins
