"""A run from a recipe, ended and gone on with, against an undisturbed one.

    check_recipe.py WORK      (a folder with run.yaml)
"""

import json
import os
import re
import signal
import struct
import subprocess
import sys

from event_files import read_events

work = sys.argv[1]


def reprise(folder, *arguments, code=0):
    done = subprocess.run(["reprise", *arguments], cwd=folder, text=True,
                          capture_output=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done


def tensors(path):
    """The bytes of a safetensors file's tensors, and its metadata."""
    data = open(path, "rb").read()
    length, = struct.unpack_from("<Q", data)
    return data[8 + length:], json.loads(data[8:8 + length])["__metadata__"]


# ---- the runs ----

recipe = os.path.join(work, "run.yaml")
for name in ("plain", "whole", "cut"):
    os.makedirs(os.path.join(work, name))
plain, whole, cut = (os.path.join(work, n) for n in ("plain", "whole", "cut"))

# Without hooks, by options: what the recipe stands for.
reprise(plain, "train", "resnet18", "--stem", "cifar", "--width", "8",
        "--image", "12x12", "--classes", "10", "--dropout", "0.1", "--batch",
        "16", "--epochs", "12", "--seed", "5", "--threads", "2",
        "--checkpointing", "segments=3", "--lr", "0.05", "--momentum", "0.8",
        "--weight-decay", "5e-4", "--schedule", "cosine", "--warmup", "3",
        "--data", "synthetic", "--synthetic-size", "112", "--save",
        "state.safetensors")
done = reprise(whole, "train", "--recipe", recipe)
assert "step 84" in done.stdout, done.stdout

# Ended by SIGTERM as often as it takes: the exit code says that it was saved.
ended = 0
while True:
    with open(os.path.join(cut, "log.txt"), "w") as log:
        run = subprocess.Popen(["reprise", "train", "--recipe", recipe],
                               cwd=cut, stderr=subprocess.PIPE, stdout=log,
                               text=True)
        errors = ""
        for line in run.stderr:  # up to the first step
            errors += line
            if re.search(r"step \d+/\d+", line):
                break
        if ended < 2:
            run.send_signal(signal.SIGTERM)
        errors += run.stderr.read()
    code = run.wait()
    if code == 0:
        break
    assert code == 75, (code, errors)
    assert "'state.safetensors' holds step" in errors, errors
    ended += 1
    assert ended <= 2
assert ended > 0, "the run was done before the signal came"

states = [os.path.join(f, "state.safetensors") for f in (plain, whole, cut)]
assert tensors(states[0])[0] == tensors(states[1])[0], "hooks changed bits"
assert open(states[1], "rb").read() == open(states[2], "rb").read()
best = [open(os.path.join(f, "best", "best.safetensors"), "rb").read()
        for f in (whole, cut)]
assert best[0] == best[1], "another best"
assert sorted(os.listdir(os.path.join(whole, "best"))) == [
    "best.safetensors", "epoch-10.safetensors"]

# ---- what was written of them ----

files, scalars, texts = read_events(os.path.join(whole, "log"))
assert len(files) == 1
# Seven steps an epoch; every second one but the first.
assert sorted(scalars["train/loss"]) == list(range(2, 85, 2))
assert sorted(scalars["eval/accuracy"]) == [21, 42, 63, 84]
for tag in ("train/learning_rate", "train/images_per_second",
            "train/seconds_left", "memory/arena_mib", "memory/process_mib",
            "eval/loss"):
    assert scalars[tag], tag
rates = scalars["train/learning_rate"]
assert abs(rates[2] - 0.05 * 2 / 3) < 1e-7 and rates[84] < 1e-4
assert "segments=3" in texts["run"] and "predicted" in texts["run"], texts
result = json.loads(reprise(plain, "train", "--recipe", states[1], "--json",
                            "--save", "again.safetensors").stdout)
assert abs(scalars["train/loss"][84] - result["loss"]) < 1e-6
assert scalars["memory/arena_mib"][84] * 2**20 == result["high_water_bytes"]
evaluated = json.loads(reprise(
    whole, "eval", "resnet18", "--stem", "cifar", "--width", "8", "--image",
    "12x12", "--classes", "10", "--dropout", "0.1", "--batch", "16",
    "--threads", "2", "--data",
    "synthetic", "--synthetic-size", "112", "--resume", "state.safetensors",
    "--json").stdout)
assert abs(scalars["eval/accuracy"][84] - evaluated["accuracy"]) < 1e-6
# The parts of the other run together have the same curve.
files, parts, _ = read_events(os.path.join(cut, "log"))
assert len(files) == ended + 1
for step, loss in parts["train/loss"].items():
    if step in scalars["train/loss"]:
        assert loss == scalars["train/loss"][step], step

# ---- the recipe that repeats it ----

beside = open(os.path.join(whole, "state.safetensors.recipe.yaml")).read()
inside = tensors(states[1])[1]["recipe"]
assert beside.startswith("# ") and beside.endswith(inside)
shown = reprise(whole, "recipe", "show", "state.safetensors").stdout
assert shown == inside, shown
assert "state.safetensors\n" not in re.sub("checkpoint.safetensors", "", inside)
assert tensors(os.path.join(plain, "again.safetensors"))[0] == tensors(
    states[1])[0]
# A file of that name that somebody wrote stays.
theirs = os.path.join(plain, "mine.safetensors.recipe.yaml")
open(theirs, "w").write("model: mlp\n")
done = reprise(plain, "train", "--recipe", recipe, "--save",
               "mine.safetensors", code=1)
assert "would be replaced" in done.stderr, done.stderr
assert open(theirs).read() == "model: mlp\n"
# An option takes the place of its key.
shown = reprise(whole, "recipe", "show", recipe).stdout
for line in ["  checkpointing: segments=3", "  momentum: 0.8",
             "  nesterov", "  seed: 5"]:
    assert (line in shown) == (line != "  nesterov"), (line, shown)
print("ended", ended, "times")
