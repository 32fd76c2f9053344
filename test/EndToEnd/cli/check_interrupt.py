"""Ctrl-C prints a line that goes on: the same bits as a run without it."""

import os
import re
import signal
import subprocess
import sys

folder = os.path.join(sys.argv[1], "it's here")
os.makedirs(folder, exist_ok=True)
common = ["reprise", "train", "mlp", "--data", "synthetic", "--synthetic-size",
          "512", "--threads", "1", "--lr", "0.01", "--schedule", "cosine",
          "--momentum", "0.8", "--weight-decay", "1e-4"]  # fmt: skip
steps = 2000


def interrupted(command):
    """Runs a command, interrupts it, returns what it wrote as errors."""
    run = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE,
                           stdout=subprocess.DEVNULL, text=True)
    first = ""
    while " step 1/" not in first:
        line = run.stderr.readline()
        assert line, first
        first += line
    run.send_signal(signal.SIGINT)
    errors = first + run.stderr.read()
    assert run.wait() == 130, errors
    return errors


errors = interrupted([*common, "--steps", str(steps),
                      "--save", "a state.safetensors"])
line = re.search(r"^  (reprise train .*)$", errors, re.M)
assert line, errors
line = line.group(1)
for option in ["--data synthetic", "--lr 0.01", "--schedule cosine",
               "--momentum 0.8", "--resume 'a state.safetensors'",
               "--save 'a state.safetensors'"]:
    assert option in line, (option, line)
# Interrupted again, the line names one state to go on from.
second = subprocess.Popen(["bash", "-c", "exec " + line], cwd=folder, text=True,
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
begin = second.stderr.readline()
second.send_signal(signal.SIGINT)
errors = begin + second.stderr.read()
assert second.wait() == 130, errors
assert errors.count("--resume") == 1, errors
done = subprocess.run(["bash", "-c", line], cwd=folder, text=True,
                      capture_output=True)
assert done.returncode == 0, done.stderr
assert f"step {steps}" in done.stdout, done.stdout
whole = subprocess.run([*common, "--steps", str(steps), "--save",
                        "whole.safetensors"], cwd=folder, capture_output=True)
assert whole.returncode == 0
read = [open(os.path.join(folder, name + ".safetensors"), "rb").read()
        for name in ("a state", "whole")]
assert read[0] == read[1], "other bits"
