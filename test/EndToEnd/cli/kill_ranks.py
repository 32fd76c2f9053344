"""Kills a random rank of a run at a random moment, again and again.

Usage: kill_ranks.py KILLS SEED MPIRUN...

Each time the other ranks have to end within ten seconds, the state has to be whole,
and the next start goes on from it. In the end the bits are those of a run that nobody
killed, and a run with fewer ranks goes on to nearly the same loss.
"""
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

KILLS, SEED, MPIRUN = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
# mpirun would end the others itself; it leaves them alone for this test.
SPARED = ["--mca", "orte_abort_on_non_zero_status", "0", "--enable-recovery"]
RANKS = 4
TRAIN = ["reprise", "train", "mlp", "--data", "synthetic", "--batch", "12", "--threads", "1",
         "--no-eval"]


def ranks_of(leader):
    """The processes of the ranks, by rank."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                rank = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", file.read())
            with open(f"/proc/{entry}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        if parent == leader and rank:
            found[int(rank.group(1))] = int(entry)
    return found


def step_of(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return int(re.search(r'"step"\s*:\s*"?(\d+)', json.dumps(header).replace("\\", "")).group(1))


def train(ranks, *options, launcher=(), output=subprocess.PIPE):
    return subprocess.Popen(
        [*MPIRUN, *launcher, "-n", str(ranks), *TRAIN, "--ranks", str(ranks), *options],
        stdout=output, stderr=subprocess.STDOUT, text=True)


def finish(run):
    output = run.communicate()[0]
    if run.returncode:
        sys.exit("a run failed:\n" + output)
    return float(re.search(r"loss +([0-9.]+)", output).group(1))


def kill_one(dice):
    with open("output", "w") as output:
        run = train(RANKS, "--steps", "100000000", "--save", "s.safetensors", "--save-every",
                    "20", "--reload", "s.safetensors", launcher=SPARED, output=output)
    # Until all have joined, mpirun alone can end them.
    until = time.monotonic() + 240
    while " step " not in open("output").read():
        if run.poll() is not None or time.monotonic() > until:
            sys.exit("no step was run:\n" + open("output").read())
        time.sleep(0.02)
    time.sleep(dice.uniform(0, 1.5))
    ranks = ranks_of(run.pid)
    victim = dice.choice(sorted(ranks))
    begin = time.monotonic()
    os.kill(ranks.pop(victim), signal.SIGKILL)
    while any(os.path.exists(f"/proc/{process}") for process in ranks.values()):
        if time.monotonic() - begin > 10:
            run.kill()
            sys.exit(f"rank {victim} was killed, and others go on after ten seconds:\n" +
                     open("output").read())
        time.sleep(0.02)
    run.wait()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    dice = random.Random(SEED)
    saved = 0
    for _ in range(KILLS):
        kill_one(dice)
        if os.path.exists("s.safetensors"):
            step = step_of("s.safetensors")
            if step < saved:
                sys.exit(f"the state of step {saved} was lost: it holds step {step}")
            saved = step
    print(f"{KILLS} kills, {saved} steps")
    last = str(saved + 20)
    finish(train(RANKS, "--steps", last, "--save", "s.safetensors", "--reload", "s.safetensors"))
    finish(train(RANKS, "--steps", last, "--save", "whole.safetensors"))
    if subprocess.call(["cmp", "s.safetensors", "whole.safetensors"]):
        sys.exit("the run that was killed has other bits")
    print("the bits of a run that nobody killed")
    more = ["--steps", str(saved + 40), "--resume", "s.safetensors", "--override",
            "accumulate,model,steps"]
    four = finish(train(RANKS, *more, "--save", "four.safetensors"))
    three = finish(train(RANKS - 1, *more, "--save", "three.safetensors"))
    if abs(four - three) > 1e-3 * max(1, four):
        sys.exit(f"four ranks end with loss {four}, three with {three}")
    print("fewer ranks go on to the same loss")
