"""Trains NAME.yaml on the pictures of write_fashion.py, killed and undisturbed.

    check_image_recipe.py NAME     (in the folder of NAME.yaml and data)

Forty pictures in batches of eight, and twenty for tests.
"""

import csv
import glob
import os
import subprocess
import sys
import time

from event_files import read_events, records
from state_files import parts

STEPS, TESTS = 5, 20  # of an epoch; pictures
TIMES = ("images_per_second", "seconds", "data_wait_seconds")

name = sys.argv[1]
begin = ["reprise", "train", "--recipe", os.path.abspath(name + ".yaml"),
         "--data", os.path.abspath("data")]


def start(folder):
    os.makedirs(folder, exist_ok=True)
    output = open(os.path.join(folder, "output"), "w")
    return subprocess.Popen(begin, cwd=folder, stdout=output, stderr=output)


def finish(folder):
    code = start(folder).wait()
    text = open(os.path.join(folder, "output")).read()
    assert code == 0, text
    return text


whole, cut = name + "-whole", name + "-cut"
text = finish(whole)
assert f" of {TESTS} images, loss" in text, text
for attempt in range(20):
    subprocess.run(["rm", "-rf", cut], check=True)
    run = start(cut)
    while run.poll() is None and not os.path.exists(cut + "/state.safetensors"):
        time.sleep(0.002)
    run.kill()
    if run.wait() != 0:
        break
else:
    sys.exit("never killed in time")
for path in glob.glob(cut + "/log/*"):
    list(records(path, killed=True))
finish(cut)
for state in ("state", "best/best", "best/epoch-1", "best/epoch-2"):
    bits, facts = parts(f"{whole}/{state}.safetensors")
    other_bits, other_facts = parts(f"{cut}/{state}.safetensors")
    assert bits == other_bits, state
    assert facts == other_facts, (state, facts, other_facts)

# One curve in two files: losses, and an accuracy an epoch.
files, curves, texts = read_events(whole + "/log")
parts, halves, _ = read_events(cut + "/log")
assert len(files) == 1 and len(parts) == 2, (files, parts)
for tag in ("train/loss", "train/learning_rate", "eval/loss", "eval/accuracy"):
    late = {step: value for step, value in halves[tag].items()
            if step in curves[tag]}
    assert late == halves[tag] and late.items() <= curves[tag].items(), tag
steps = sorted(curves["train/loss"])
epochs = len(curves["eval/accuracy"])
assert steps == list(range(1, STEPS * epochs + 1)), steps
ends = steps[STEPS - 1::STEPS]
assert sorted(curves["eval/accuracy"]) == ends
assert sorted(halves["eval/accuracy"]) == ends
# What the run prints at its end is the last point.
last = curves["eval/accuracy"][steps[-1]]
assert f" {100 * last:.2f}% (top 5: " in text, (last, text)
assert name in texts["run"]

# The table of epochs says the same, and in both runs.
tables = [list(csv.DictReader(open(folder + "/epochs.csv")))
          for folder in (whole, cut)]
for row in tables[0] + tables[1]:
    assert float(row["images_per_second"]) > 0, row
    for time_of in TIMES:
        del row[time_of]
assert tables[0] == tables[1], tables
assert [int(row["step"]) for row in tables[0]] == ends
for row in tables[0]:
    end = int(row["step"])
    assert int(row["epoch"]) * STEPS == end
    losses = [curves["train/loss"][s] for s in range(end - STEPS + 1, end + 1)]
    told = {"train_loss": sum(losses) / STEPS,
            "learning_rate": curves["train/learning_rate"][end],
            "eval_loss": curves["eval/loss"][end],
            "eval_accuracy": curves["eval/accuracy"][end],
            "eval_accuracy_top5": curves["eval/accuracy_top5"][end]}
    for column, value in told.items():
        assert abs(float(row[column]) - value) < 1e-6 * max(1, value), column
assert float(tables[0][-1]["train_loss"]) < float(tables[0][0]["train_loss"])
