"""Kills runs that share a cache of programs, at random moments.

    check_shared_cache.py WORK ROUNDS [SEED]

Two runs at a time, each of several programs: modes of checkpointing by epochs, a
budget among them, or images of several sizes. What the cache may hold is less than
their programs take, so that each run has to remove what the other one keeps. Both
are ended by SIGKILL; ROUNDS is how many runs are. In every third pair the last one
is ended when something appears in the cache, which random moments hardly meet: what
is written there in place would be found in half. After each pair

- every program in the cache is whole, and can be opened;
- the cache holds no more than it may, but for what two runs were writing;
- states load, at steps no earlier than before.

Runs that are killed until they are done have the bits of an undisturbed one without
a cache: they never got a program that is another one's or damaged. The last line is
a summary.
"""

import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from state_files import whole_step

work, rounds = sys.argv[1], int(sys.argv[2])
moments = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
os.makedirs(work, exist_ok=True)
os.chdir(work)
cache = os.path.abspath("cache/reprise/programs")
environment = dict(os.environ, XDG_CACHE_HOME=os.path.abspath("cache"))
common = ["--threads", "1", "--data", "synthetic", "--no-eval", "--lr", "0.01",
          "--roofline", "400GFLOPS,35GB/s", "--save-every", "1"]
kinds = {
    "epochs": ["mlp", "--batch", "16", "--synthetic-size", "64", "--epochs", "4",
               "--checkpointing-schedule",
               "0-0:none,1-1:per-block,2-2:budget=100%,3-:annotated"],
    "sizes": ["resnet18", "--image", "8x8", "--stem", "cifar", "--width", "4",
              "--classes", "3", "--batch", "2", "--synthetic-size", "24",
              "--epochs", "1", "--buckets", "8x8,8x16,16x8"],
}


def command(kind, folder):
    state = os.path.join(folder, "state.safetensors")
    return ["reprise", "train", *kinds[kind], *common, "--save", state,
            "--reload", state]


def start(kind, folder, limit):
    os.makedirs(folder, exist_ok=True)
    log = open(os.path.join(folder, "output"), "w+")
    return subprocess.Popen(command(kind, folder), stdout=log, stderr=log,
                            env=dict(environment, REPRISE_CACHE_BYTES=limit))


def output(folder):
    return open(os.path.join(folder, "output")).read()


def run_whole(kind, limit, folder):
    """The state of an undisturbed run, and its length."""
    begin = time.monotonic()
    assert start(kind, folder, limit).wait() == 0, output(folder)
    seconds = time.monotonic() - begin
    return open(folder + "/state.safetensors", "rb").read(), seconds


def programs():
    """Those in the cache: path and size."""
    return {path: os.path.getsize(path)
            for path in glob.glob(cache + "/*.rpx")}


opened = set()


def check_programs():
    for path, size in programs().items():
        facts = (path, size, os.stat(path).st_ino)
        if facts in opened:
            continue
        done = subprocess.run(["reprise", "inspect", path], text=True,
                              capture_output=True)
        assert done.returncode == 0, (path, done.stderr)
        opened.add(facts)


def wait_for_change(run):
    """Until a file of the cache is there that was not, or the run has ended."""
    before = set(os.listdir(cache))
    while run.poll() is None and set(os.listdir(cache)) <= before:
        time.sleep(0.0005)


def step_of(folder):
    state = folder + "/state.safetensors"
    return whole_step(state) if os.path.exists(state) else 0


class Chain:
    """Runs of one kind that go on from one another."""

    def __init__(self, folder):
        self.folder = folder
        self.begin()

    def begin(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.kind = moments.choice(sorted(kinds))
        self.step = 0

    def start(self):
        self.run = start(self.kind, self.folder, str(limit))
        return moments.uniform(0, 1.1 * lengths[self.kind])

    def end(self):
        """Whether it was killed; an error is the test's."""
        self.run.kill()
        code = self.run.wait()
        assert code in (0, -signal.SIGKILL), (code, output(self.folder))
        assert "not kept" not in output(self.folder), output(self.folder)
        step = step_of(self.folder)
        assert step >= self.step, (self.folder, step, self.step)
        self.step = step
        return code != 0


# Alone, and without a cache; then what the programs of all take.
wholes = {kind: run_whole(kind, "0", "whole-" + kind)[0] for kind in kinds}
assert not programs()
lengths = {}
for kind in kinds:
    state, lengths[kind] = run_whole(kind, "1GiB", "filled-" + kind)
    assert state == wholes[kind], "other bits: " + kind
sizes = sorted(programs().values())
limit = sum(sizes) * 2 // 3
assert limit > sizes[-1], sizes
count = {"killed": 0, "done": 0, "with a program left aside": 0, "programs": 0}
chains = [Chain("a"), Chain("b")]
pairs = 0
while count["killed"] < rounds:
    pairs += 1
    watches = pairs % 3 == 0
    ends = sorted((chain.start(), number)
                  for number, chain in enumerate(chains))
    begin = time.monotonic()
    for moment, number in ends:
        chain = chains[number]
        isLast = number == ends[-1][1]
        if isLast and watches:
            # Alone: another run would mend what it finds, and make this wait.
            wait_for_change(chain.run)
            moment = 0
        try:
            chain.run.wait(max(0, begin + moment - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        if chain.end():
            count["killed"] += 1
            continue
        state = open(chain.folder + "/state.safetensors", "rb").read()
        assert state == wholes[chain.kind], "other bits: " + chain.kind
        count["done"] += 1
        chain.begin()
    check_programs()
    held = sum(programs().values())
    assert held <= limit + 2 * sizes[-1], (held, limit)
    count["with a program left aside"] += bool(glob.glob(cache + "/.reprise-*"))
count["programs"] = len(opened)
# Whatever lies there now, a run removes what is left and keeps the limit.
for path in programs():
    os.remove(path)
for kind in kinds:
    assert run_whole(kind, str(limit), "last-" + kind)[0] == wholes[kind]
check_programs()
assert programs() and sum(programs().values()) <= limit, (programs(), limit)
assert not glob.glob(cache + "/.reprise-*")
print("shared: " + ", ".join(f"{what} {n}" for what, n in count.items()))
