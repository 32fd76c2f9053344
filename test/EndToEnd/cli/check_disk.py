"""Trains onto a small file system that is full, or read-only.

    check_disk.py WORK
"""

import glob
import os
import subprocess
import sys

from event_files import message, read_events, records
from state_files import parts

work = sys.argv[1]
disk = os.path.join(work, "disk")
os.makedirs(disk)
mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", disk],
                         text=True, capture_output=True)
if mounted.returncode != 0:
    print("skipped: cannot mount a small file system: " + mounted.stderr.strip())
    sys.exit(0)
os.environ["XDG_CACHE_HOME"] = os.path.join(disk, "cache")
os.environ["REPRISE_CACHE_BYTES"] = ""
state = os.path.join(disk, "state.safetensors")
log = os.path.join(disk, "log")
recipe = os.path.join(work, "run.yaml")
with open(recipe, "w") as out:
    out.write("""
model: mlp
training: {batch_size: 16, threads: 1, steps: 4, seed: 3}
optimizer: {lr: 0.01}
data: {source: synthetic, synthetic_size: 64}
""")


def reprise(*arguments, code=0):
    done = subprocess.run(["reprise", *arguments], text=True,
                          capture_output=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stderr


def train(steps, *options, code=0):
    return reprise("train", "--recipe", recipe, "--steps", str(steps),
                   *options, code=code)


def step_of(path):
    return int(parts(path)[1]["step"])


def fill():
    """Takes all room there is; the file."""
    path = os.path.join(disk, "filler")
    with open(path, "wb", buffering=0) as out:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while out.write(b"x" * size) == size:
                    pass
            except OSError:
                pass
    return path


def left_over():
    names = os.listdir(disk) + os.listdir(os.path.join(disk, "best"))
    return [name for name in names if name[0] == "." or name[-5:] == ".lock"]


hooks = ["--save", state, "--save-every", "1", "--reload", state, "--log-dir",
         log, "--save-best", os.path.join(disk, "best"), "--keep-last", "1",
         "--auto-checkpoint", os.path.join(disk, "left.safetensors")]
budget = ["plan", "mlp", "--batch", "1024", "--threads", "1", "--budget", "99%"]
try:
    program = os.path.join(work, "m.rpx")
    reprise("compile", "mlp", "--batch", "16", "--threads", "1", "-o", program)
    whole = os.path.join(work, "whole.safetensors")
    train(24, "--save", whole, "--save-best", os.path.join(work, "best"),
          "--keep-last", "1")
    train(8, *hooks)
    before = open(state, "rb").read()

    # A full disk: before the run, then within it.
    filler = fill()
    errors = train(24, *hooks, code=1)
    assert "no space left" in errors, errors
    assert open(state, "rb").read() == before
    room = os.path.getsize(filler) - (1 << 14)
    os.truncate(filler, room)  # enough to begin, not for a state
    errors = train(24, *hooks, code=1)
    assert "the previous file is untouched" in errors, errors
    assert open(state, "rb").read() == before
    assert not left_over(), left_over()
    # The speed of the machine is measured, though it cannot be kept.
    fill()
    reprise(*budget)
    assert not glob.glob(os.path.join(disk, "cache/reprise/*.json"))
    kept = os.path.join(disk, "kept.yaml")
    reprise("recipe", "show", state, "-o", kept, code=1)
    assert not os.path.exists(kept)
    reprise("eval", program, "--data", "synthetic", "--synthetic-size",
            "64", "--resume", state)
    for path in glob.glob(log + "/*"):
        for body in records(path):  # all whole: nobody was killed
            message(body)
    os.remove(filler)
    reprise("recipe", "show", state, "-o", kept)
    recipe_before = open(kept).read()
    reprise(*budget)

    # Read-only: refused before the first step, and read as before.
    train(12, *hooks)
    before = open(state, "rb").read()
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    for options in (hooks, ["--save", state], ["--log-dir", log],
                    ["--save-best", os.path.join(disk, "best")]):
        errors = train(24, *options, code=1)
        assert "read-only file system" in errors, errors
        assert "step " not in errors.split("error:")[0], errors
    reprise("recipe", "show", state, "-o", kept, code=1)
    reprise("eval", program, "--data", "synthetic", "--synthetic-size",
            "64", "--resume", state)
    reprise(*budget)
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    assert open(state, "rb").read() == before and step_of(state) == 12
    assert open(kept).read() == recipe_before

    # There is room again: the bits of an undisturbed run.
    train(24, *hooks)
    assert not left_over(), left_over()
    (bits, facts), (other_bits, other_facts) = parts(whole), parts(state)
    assert bits == other_bits, "other bits"
    assert facts == other_facts, (facts, other_facts)
    _, scalars, _ = read_events(log)
    assert set(range(1, 25)) <= set(scalars["train/loss"])
finally:
    subprocess.run(["umount", disk], check=True)
print("full and read-only: nothing lost")
