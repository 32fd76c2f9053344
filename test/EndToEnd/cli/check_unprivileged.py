"""Trains as a user who may not write where the files are to go.

    check_unprivileged.py

Root may write everywhere: there the runs are those of user and group 65534, in a
folder of /tmp that these can reach.
"""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time

from state_files import parts

NOBODY = 65534
is_root = os.geteuid() == 0
who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_root else {}
work = tempfile.mkdtemp(prefix="reprise-unprivileged-", dir="/tmp")
home, locked = os.path.join(work, "home"), os.path.join(work, "locked")
environment = dict(os.environ, REPRISE_CACHE_BYTES="",
                   XDG_CACHE_HOME=os.path.join(home, "cache"),
                   TMPDIR=home)


def reach():
    """Why those runs cannot be; or nothing."""
    try:
        done = subprocess.run(["reprise", "--version"], cwd=home,
                              capture_output=True, text=True, **who)
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip()


def give(path):
    if is_root:
        os.chown(path, NOBODY, NOBODY)


def reprise(*arguments, code=0, **variables):
    done = subprocess.run(["reprise", *arguments], text=True, cwd=home,
                          env=dict(environment, **variables),
                          capture_output=True, **who)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stderr


data = ["--data", "synthetic", "--synthetic-size", "64", "--no-eval"]
model = ["train", "mlp", "--batch", "16", "--threads", "1", "--lr", "0.01",
         *data]
schedule = ["--epochs", "6", "--checkpointing-schedule", "0-1:none,2-:per-block"]
path = lambda name: os.path.join(locked, name)  # noqa: E731


def check_refusals():
    """Before the first step, by name; and what was there stays."""
    before = open(path("state.safetensors"), "rb").read()
    for name, options in [
            ("state.safetensors", ["--save", path("state.safetensors")]),
            ("new.safetensors", ["--save", path("new.safetensors")]),
            ("left.safetensors", ["--auto-checkpoint",
                                  path("left.safetensors")]),
            ("log", ["--log-dir", path("log")]),
            ("best", ["--save-best", path("best")]),
            ("trace.json", ["--profile-trace", path("trace.json")])]:
        errors = reprise(*model, "--steps", "24", *options, code=1)
        assert "ermission denied" in errors and path(name) in errors, errors
        assert "step " not in errors.split("error:")[0], errors
    secret = path("secret.safetensors")
    errors = reprise(*model, "--steps", "30", "--resume", secret, code=1)
    assert "ermission denied" in errors and secret in errors, errors
    names = {"state.safetensors", "secret.safetensors", "cache"}
    assert set(os.listdir(locked)) == names, os.listdir(locked)
    assert open(path("state.safetensors"), "rb").read() == before
    # It is read as ever.
    reprise(*model, "--steps", "30", "--override", "steps", "--resume",
            path("state.safetensors"), "--save", "resumed.safetensors")


def check_caches():
    """Runs go on without a cache, and say so; to the same bits."""
    reprise(*model, *schedule, "--save", "cached.safetensors")
    for folder in (locked, path("cache")):
        errors = reprise(*model, *schedule, "--save", "bare.safetensors",
                         XDG_CACHE_HOME=folder)
        assert "warning: plans and compiled programs are not kept: " in errors, errors
        assert "ermission denied" in errors, errors
        assert errors.count("not kept") == 1, errors
        assert (parts(os.path.join(home, "bare.safetensors")) ==
                parts(os.path.join(home, "cached.safetensors")))
        reprise("plan", "mlp", "--batch", "1024", "--threads", "1",
                "--budget", "99%", XDG_CACHE_HOME=folder)
    assert os.listdir(path("cache")) == []


def check_change():
    """A folder that may no longer be written to in the middle of a run."""
    folder = os.path.join(home, "open")
    os.mkdir(folder)
    give(folder)
    state = os.path.join(folder, "state.safetensors")
    save = ["--save", state, "--save-every", "1"]
    log = open(os.path.join(work, "output"), "w+")
    run = subprocess.Popen(["reprise", *model, "--steps", "1000000", *save],
                           cwd=home, env=environment, stdout=log, stderr=log,
                           **who)
    while not os.path.exists(state):
        assert run.poll() is None, open(log.name).read()
        time.sleep(0.002)
    if is_root:
        os.chown(folder, 0, 0)
    os.chmod(folder, 0o555)
    assert run.wait() == 1, open(log.name).read()
    errors = open(log.name).read()
    assert "ermission denied" in errors and state in errors, errors
    step = int(parts(state)[1]["step"])
    assert step >= 1
    os.chmod(folder, 0o755)
    give(folder)
    goal = ["--steps", str(step + 8)]
    reprise(*model, *goal, "--override", "steps", "--resume", state, *save)
    reprise(*model, *goal, "--save", "whole.safetensors")
    assert parts(state) == parts(os.path.join(home, "whole.safetensors"))


try:
    os.chmod(work, 0o755)
    os.mkdir(home)
    os.mkdir(locked)
    give(home)
    reason = reach()
    if reason:
        print("skipped: another user cannot run the driver: " + reason)
        sys.exit(0)
    reprise(*model, "--steps", "6", "--save", "state.safetensors")
    shutil.copy(os.path.join(home, "state.safetensors"), locked)
    shutil.copy(os.path.join(home, "state.safetensors"),
                path("secret.safetensors"))
    os.chmod(path("state.safetensors"), 0o644)
    os.chmod(path("secret.safetensors"), 0)
    os.mkdir(path("cache"), 0o555)
    os.chmod(locked, 0o555)
    check_refusals()
    check_caches()
    check_change()
finally:
    for folder, names, _ in os.walk(work):
        os.chmod(folder, stat.S_IRWXU)
    shutil.rmtree(work)
print("may not write: nothing lost")
