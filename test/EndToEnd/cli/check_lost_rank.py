"""Kills and stops a rank of a run, and looks at what the others do.

Usage: check_lost_rank.py MPIRUN...
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

MPIRUN = sys.argv[1:]
# mpirun would end the others itself; it leaves them alone for this test.
SPARED = ["--mca", "orte_abort_on_non_zero_status", "0", "--enable-recovery"]
TRAIN = ["reprise", "train", "mlp", "--data", "synthetic", "--batch", "12",
         "--threads", "1", "--no-eval", "--save", "s.safetensors",
         "--save-every", "50", "--reload", "s.safetensors"]
RANKS = 3
LONG = 20000


def rank_processes(leader):
    """The processes of the ranks, by rank."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                environment = dict(item.split(b"=", 1)
                                   for item in file.read().split(b"\0")
                                   if b"=" in item)
            with open(f"/proc/{entry}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        if parent == leader and b"OMPI_COMM_WORLD_RANK" in environment:
            found[int(environment[b"OMPI_COMM_WORLD_RANK"])] = int(entry)
    return found


def start(steps, *options, launcher=SPARED):
    return subprocess.Popen(
        MPIRUN + launcher + ["-n", str(RANKS)] + TRAIN +
        ["--ranks", str(RANKS), "--steps", str(steps), *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def wait_for_state(run):
    until = time.monotonic() + 240
    while not os.path.exists("s.safetensors"):
        if run.poll() is not None or time.monotonic() > until:
            sys.exit("no state was saved:\n" + run.communicate()[0])
        time.sleep(0.05)


def lose(number, *options, launcher=SPARED):
    """Sends a signal to rank 1 within the steps; returns the output, the
    seconds until the others have ended, and the exit code of mpirun."""
    run = start(LONG, *options, launcher=launcher)
    wait_for_state(run)
    ranks = rank_processes(run.pid)
    if sorted(ranks) != list(range(RANKS)):
        sys.exit(f"the ranks are {ranks}")
    begin = time.monotonic()
    os.kill(ranks[1], number)
    others = [ranks[0], ranks[2]]
    while any(os.path.exists(f"/proc/{process}") for process in others):
        if time.monotonic() - begin > 60:
            run.kill()
            sys.exit("the other ranks go on waiting")
        time.sleep(0.05)
    seconds = time.monotonic() - begin
    if number == signal.SIGSTOP:
        os.kill(ranks[1], signal.SIGKILL)
    return run.communicate()[0], seconds, run.returncode


def check(output, pattern, seconds):
    if not re.search(pattern, output):
        sys.exit(f"'{pattern}' is not in:\n{output}")
    if seconds > 10:
        sys.exit(f"the others took {seconds:.1f} seconds")


def step_of(path):
    with open(path, "rb") as file:
        header = file.read(int.from_bytes(file.read(8), "little"))
    return int(re.search(rb'"step"\s*:\s*"(\d+)"', header).group(1))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    output, seconds, _ = lose(signal.SIGKILL)
    # The first to notice may have ended by the time the second does.
    ended = r".*rank 1 \(process \d+\)( and rank 2 .*)? ha(s|ve) ended"
    check(output, r"error: training step \d+: " + ended, seconds)
    check(output, r"error: rank 2: training step \d+: " + ended, seconds)
    steps = step_of("s.safetensors") + 50
    run = start(steps)
    if run.wait() != 0:
        sys.exit("the state does not go on:\n" + run.communicate()[0])
    os.rename("s.safetensors", "interrupted.safetensors")
    run = start(steps)
    if run.wait() != 0:
        sys.exit("the run does not begin:\n" + run.communicate()[0])
    with open("s.safetensors", "rb") as one, \
            open("interrupted.safetensors", "rb") as other:
        if one.read() != other.read():
            sys.exit("the interrupted run has other bits")
    print("a killed rank: named, and the run goes on with the bits")
    os.remove("s.safetensors")
    output, seconds, _ = lose(signal.SIGSTOP, "--rank-timeout", "2")
    check(output, r"rank 1 did not come to a collective call within 2 seconds",
          seconds)
    print("a rank that stopped: named")
    os.remove("s.safetensors")
    output, seconds, code = lose(signal.SIGTERM, launcher=[])
    check(output, r"holds step \d+: interrupted; to continue, run:\n"
          rf"  mpirun -n {RANKS} reprise train mlp", seconds)
    if code != 130:
        sys.exit(f"mpirun returned {code}:\n{output}")
    print("a rank that a signal ends: all are saved and end")
