"""Ends runs at random moments, and looks at what they leave.

    check_kills.py WORK SIGNAL ROUNDS [SEED]

SIGNAL is KILL, TERM or INT; ROUNDS is how many runs are ended by it. The run
saves after every step, keeps the best states, writes event files and would leave
a state when a signal ends it. After each KILL

- the state, once there was one, loads, at a step no earlier than before; so do
  the best states;
- event files can be read up to a whole record;
- caches are whole, or not there;
- nothing else lies about once the next run has begun.

A run that is killed until it is done has the bits of an undisturbed one. After
TERM and INT the exit code is 75, and the state that was left is of the step that
was reported as the last. The last line is a summary.
"""

import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from event_files import message, records
from state_files import whole_step

work, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
moments = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
number = getattr(signal, "SIG" + name)
os.makedirs(work, exist_ok=True)
os.chdir(work)
cache = os.path.abspath("cache")
os.environ["XDG_CACHE_HOME"] = cache
os.environ["REPRISE_CACHE_BYTES"] = ""
steps = 60
data = ["--data", "synthetic", "--synthetic-size", "64"]
subprocess.run(["reprise", "compile", "mlp", "--batch", "16", "--threads", "1",
                "-o", "m.rpx"], check=True, stdout=subprocess.DEVNULL)


def command(folder, length):
    path = lambda name: os.path.join(folder, name)  # noqa: E731
    return ["reprise", "train", "m.rpx", *data, "--steps", str(length), "--lr",
            "0.01", "--save", path("state.safetensors"), "--save-every", "1",
            "--reload", path("state.safetensors"), "--save-best", path("best"),
            "--log-dir", path("log"), "--auto-checkpoint",
            path("left.safetensors")]


def start(folder, length=steps):
    os.makedirs(folder, exist_ok=True)
    log = open(os.path.join(folder, "output"), "w+")
    return subprocess.Popen(command(folder, length), stdout=log, stderr=log)


def output(folder):
    return open(os.path.join(folder, "output")).read()


def load(path):
    done = subprocess.run(["reprise", "eval", "m.rpx", *data, "--resume", path],
                          text=True, capture_output=True)
    assert done.returncode == 0, (path, done.stderr)


def check_states(folder, before):
    """The step of the state, which is not before `before`."""
    for path in glob.glob(folder + "/best/*.safetensors"):
        whole_step(path)
    best = folder + "/best/best.safetensors"
    if os.path.exists(best):
        load(best)
    state = folder + "/state.safetensors"
    if not os.path.exists(state):
        assert before == 0, "the state is gone"
        return 0
    load(state)
    step = whole_step(state)
    assert step >= before, (step, before)
    return step


read = set()


def check_events(folder):
    """New event files, whose writers are dead."""
    for path in set(glob.glob(folder + "/log/events.out.tfevents.*")) - read:
        read.add(path)
        events = [message(body) for body in records(path, killed=True)]
        assert not events or events[0][3] == [b"brain.Event:2"], path
        written = [event[2][0] for event in events if 2 in event]
        assert written == sorted(written), path


def check_roofline(path):
    assert json.load(open(path))["gflops"] > 0, path


# What a cache may hold: a pattern, and what tells that a file is whole.
caches = {"reprise/roofline-*.json": check_roofline}


def check_caches():
    whole = set()
    for pattern, check in caches.items():
        for path in glob.glob(os.path.join(cache, pattern)):
            check(path)
            whole.add(path)
    return whole


def lying_about(folder):
    """Files that neither belong there nor are locks, which the kernel frees."""
    hidden = glob.glob(folder + "/**/.reprise-*", recursive=True)
    hidden += glob.glob(folder + "/.reprise-*")
    return set(hidden)


def kill_cache():
    """Ends the measurement of this machine's speed, or the writing of it."""
    shutil.rmtree(cache, ignore_errors=True)
    run = subprocess.Popen(["reprise", "plan", "mlp", "--batch", "1024",
                            "--threads", "1", "--budget", "99%"],
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    time.sleep(moments.uniform(0.0, cache_time))
    run.kill()
    run.wait()
    return len(check_caches())


def kills():
    count = {"killed": 0, "before a state": 0, "done": 0, "left": 0,
             "locks": 0, "cache killed": 0, "cache written": 0}
    begin = time.monotonic()
    assert start("whole").wait() == 0, output("whole")
    duration = time.monotonic() - begin
    whole = open("whole/state.safetensors", "rb").read()
    step, left = 0, set()
    while count["killed"] < rounds:
        run = start("cut")
        try:
            code = run.wait(moments.uniform(0.0, 1.2 * duration))
        except subprocess.TimeoutExpired:
            run.kill()
            code = run.wait()
        text = output("cut")
        assert code in (0, -signal.SIGKILL), (code, text)
        check_events("cut")
        step = check_states("cut", step)
        now = lying_about("cut")
        if "step " in text:  # it had begun
            assert not now & left, "left behind for ever: %s" % (now & left)
        count["left"] += len(now - left)
        left = now
        if code == 0:
            assert open("cut/state.safetensors", "rb").read() == whole
            assert not now and not glob.glob("cut/**/*.lock", recursive=True)
            count["done"] += 1
            shutil.rmtree("cut")
            step, left = 0, set()
            continue
        count["killed"] += 1
        count["before a state"] += step == 0
        count["locks"] += len(glob.glob("cut/*.lock"))
        if count["killed"] % 5 == 0:
            count["cache killed"] += 1
            count["cache written"] += kill_cache()
    return count


def reported(folder):
    """The last step of the summary that the run prints at its end."""
    return int(re.search(r"stopped at step (\d+) of", output(folder)).group(1))


def signals():
    count = {"ended": 0, "saved at the last step": 0}
    while count["ended"] < rounds:
        shutil.rmtree("cut", ignore_errors=True)
        run = start("cut", 100000000)
        while "step 1/" not in output("cut"):
            assert run.poll() is None, output("cut")
            time.sleep(0.002)
        time.sleep(moments.uniform(0.0, 0.05))
        logged = whole_step("cut/state.safetensors") if os.path.exists(
            "cut/state.safetensors") else 0
        run.send_signal(number)
        code = run.wait()
        assert code == 75, (code, output("cut"))
        left, last = whole_step("cut/left.safetensors"), reported("cut")
        assert last - 1 <= left <= last and left >= logged, (left, last, logged)
        load("cut/left.safetensors")
        count["ended"] += 1
        count["saved at the last step"] += left == last
    return count


begin = time.monotonic()
subprocess.run(["reprise", "plan", "mlp", "--batch", "1024", "--threads", "1",
                "--budget", "99%"], check=True, stdout=subprocess.DEVNULL)
cache_time = 1.2 * (time.monotonic() - begin)
assert check_caches(), "no cache is written"
found = kills() if name == "KILL" else signals()
print(name + ": " + ", ".join(f"{what} {n}" for what, n in found.items()))
