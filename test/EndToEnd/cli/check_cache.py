"""What the cache of plans and programs gives back is what was made.

    check_cache.py WORK

Every command runs without a cache first, or with an empty one; what comes from the
cache has to be equal to the byte.
"""

import json
import os
import shutil
import subprocess
import sys

work = sys.argv[1]
os.makedirs(work)
os.chdir(work)
folder = os.path.abspath("cache/reprise/programs")
environment = dict(os.environ, XDG_CACHE_HOME=os.path.abspath("cache"),
                   REPRISE_CACHE_BYTES="")
model = ["mlp", "--batch", "1024", "--threads", "1", "--roofline",
         "100GFLOPS,10GB/s"]
budget = ["--budget", "97%"]
PLAN, PROGRAM, ANSWER = "the plan is taken from", "the program is taken from", "the answer is taken from"


def start(*arguments, **changes):
    return subprocess.Popen(["reprise", "-v", *arguments], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=dict(environment, **changes))


def reprise(*arguments, **changes):
    """Standard output, and standard error."""
    run = start(*arguments, **changes)
    out, errors = run.communicate()
    assert run.returncode == 0, (arguments, errors)
    return out, errors


def read(path):
    with open(path, "rb") as file:
        return file.read()


def kept(ending=""):
    if not os.path.isdir(folder):
        return []
    return sorted(os.path.join(folder, name) for name in os.listdir(folder)
                  if name.endswith(ending))


def check_plans():
    plan = ["plan", *model, *budget]
    fresh, errors = reprise(*plan, REPRISE_CACHE_BYTES="0")
    assert PLAN not in errors and not kept()
    first, errors = reprise(*plan)
    assert first == fresh and PLAN not in errors
    assert len(kept(".plan")) == 1, kept()
    again, errors = reprise(*plan)
    assert again == fresh and PLAN in errors, errors
    assert reprise(*plan, "--json")[0] == \
        reprise(*plan, "--json", REPRISE_CACHE_BYTES="0")[0]


def check_answers():
    """Of many plans, the picture of a sweep included."""
    shutil.rmtree(folder)
    sweep = ["plan", *model, *budget, "--sweep"]
    largest = ["plan", "mlp", *model[3:], "--max-batch", "--budget"]

    def twice(*question):
        """What it says, made anew and from the cache."""
        fresh = reprise(*question, REPRISE_CACHE_BYTES="0")[0]
        out, errors = reprise(*question)
        assert out == fresh and ANSWER not in errors, errors
        again, errors = reprise(*question)
        assert again == fresh and ANSWER in errors, errors

    twice(*sweep)
    fresh = reprise(*sweep, "--json", REPRISE_CACHE_BYTES="0")[0]
    assert (fresh, True) == answered(*sweep, "--json")
    reprise(*sweep, "-o", "fresh.svg", REPRISE_CACHE_BYTES="0")
    assert answered(*sweep, "-o", "kept.svg")[1]
    assert read("fresh.svg") == read("kept.svg")
    twice(*largest, "20MiB")
    assert not answered(*largest, "21MiB")[1]
    assert not answered("plan", *model, "--budget", "98%", "--sweep")[1]
    listed = reprise("cache", "list")[0]
    assert ", sweep\n" in listed and ", largest batch\n" in listed, listed
    # A refusal is not kept: it is made again.
    for _ in range(2):
        run = start("plan", *model, "--budget", "1KiB", "--sweep")
        assert run.communicate() and run.returncode == 1


def answered(*question):
    out, errors = reprise(*question)
    return out, ANSWER in errors


def check_programs():
    """Of a plan that is kept already."""
    compile = ["compile", *model, *budget, "-o"]
    reprise(*compile, "fresh.rpx", REPRISE_CACHE_BYTES="0")
    out, errors = reprise(*compile, "first.rpx")
    assert PLAN in errors and "from the cache" not in out
    out, errors = reprise(*compile, "again.rpx")
    assert PLAN not in errors and ", taken from the cache\n" in out
    assert json.loads(reprise(*compile, "a.rpx", "--json")[0])["from_cache"]
    assert read("fresh.rpx") == read("first.rpx") == read("again.rpx")


def check_runs():
    data = ["--data", "synthetic", "--synthetic-size", "2048", "--no-eval"]
    train = ["train", *model, *budget, *data, "--steps", "2", "--lr", "0.01",
             "--save"]
    assert PROGRAM not in reprise(*train, "fresh.safetensors",
                                  REPRISE_CACHE_BYTES="0")[1]
    assert PROGRAM not in reprise(*train, "first.safetensors")[1]
    assert PROGRAM in reprise(*train, "again.safetensors")[1]
    states = [read(name + ".safetensors") for name in
              ("fresh", "first", "again")]
    assert states[0] == states[1] == states[2]
    evaluate = ["eval", *model, "--data", "synthetic", "--resume",
                "again.safetensors", "--json"]
    fresh = reprise(*evaluate, REPRISE_CACHE_BYTES="0")[0]
    reprise(*evaluate)
    again, errors = reprise(*evaluate)
    assert PROGRAM in errors
    assert json.loads(fresh)["loss"] == json.loads(again)["loss"]


def check_names():
    """Whatever a plan follows from makes it another one."""
    with open("m.mlir", "w") as file:
        file.write(reprise("zoo", "emit", "mlp", "--batch", "1024")[0])
    common = ["--roofline", "100GFLOPS,10GB/s", "--threads", "1"]
    wide = ["--budget", "110%"]  # which each of them can meet
    of_file = ["plan", "m.mlir", *common, *wide]
    ways = [of_file, ["plan", *model, *wide],
            ["plan", *model, "--budget", "111%"]]
    for change in (["--batch", "1000"], ["--threads", "2"], ["--amp", "bf16"],
                   ["--optimizer", "adamw"], ["--plan-work", "0.5"],
                   ["--roofline", "100GFLOPS,11GB/s"], ["--momentum", "0"],
                   ["--checkpointing", "per-block"], ["--classes", "11"],
                   ["--clip-grad-norm", "1"], ["--label-smoothing", "0.1"],
                   ["--target", "cpu:x86-64-v3"], ["--keep", "part1"]):
        way = ["plan", *model, *wide]
        if change[0] in way:
            at = way.index(change[0])
            del way[at:at + 2]
        ways.append([*way, *change])
    for way in ways:
        before = len(kept(".plan"))
        assert PLAN not in reprise(*way)[1], way
        assert len(kept(".plan")) == before + 1, way
    # Other lines of the same ops: programs say from which they are.
    with open("m.mlir", "a") as file:
        file.write("// another line\n")
    assert PLAN not in reprise(*of_file)[1]
    assert PLAN in reprise(*of_file)[1]


def check_damage():
    """A file that is not whole, or something else, is made again."""
    plan, compile = ["plan", *model, *budget], ["compile", *model, *budget, "-o"]
    shutil.rmtree(folder)
    fresh = reprise(*plan)[0]
    reprise(*compile, "fresh.rpx")
    (of_plan,), (of_program,) = kept(".plan"), kept(".rpx")

    def damage(path, bytes):
        with open(path, "wb") as file:
            file.write(bytes)

    for path in (of_plan, of_program):
        whole = read(path)
        half = len(whole) // 2
        for bytes in (b"", b"REPRISE PLAN\n", whole[:half], whole[:-1],
                      whole[:half] + bytes_of(whole[half] ^ 1) +
                      whole[half + 1:], b"x" * 4096, whole + b"x"):
            damage(path, bytes)
            out, errors = reprise(*plan)
            assert out == fresh, bytes[:40]
            assert (PLAN in errors) == (path == of_program), errors
            out, errors = reprise(*compile, "again.rpx")
            assert ("from the cache" in out) == (path == of_plan), bytes[:40]
            assert read("again.rpx") == read("fresh.rpx")
            assert read(path) == whole
        # Nothing is written over what is no file.
        os.remove(path)
        os.mkdir(path)
        assert reprise(*plan)[0] == fresh
        reprise(*compile, "again.rpx")
        assert read("again.rpx") == read("fresh.rpx")
        os.rmdir(path)
        reprise(*plan)
        reprise(*compile, "again.rpx")
    out, errors = reprise(*plan, XDG_CACHE_HOME="/proc/none")
    assert out == fresh
    assert errors.count("plans and compiled programs are not kept") == 1, errors


def bytes_of(number):
    return bytes([number])


def check_two():
    """At once, of the same."""
    shutil.rmtree(folder)
    runs = [start("compile", *model, *budget, "-o", name)
            for name in ("a.rpx", "b.rpx")]
    for run in runs:
        errors = run.communicate()[1]
        assert run.returncode == 0, errors
    assert read("a.rpx") == read("b.rpx")
    assert len(kept()) == 2, kept()
    assert "from the cache" in reprise("compile", *model, *budget, "-o",
                                       "a.rpx")[0]


def check_list():
    listed = json.loads(reprise("cache", "list", "--json")[0])
    assert listed["folder"] == folder and listed["most_bytes"] == 2 << 30
    assert sorted(entry["file"] for entry in listed["entries"]) == kept()
    assert {entry["kind"] for entry in listed["entries"]} == {"plan", "program"}
    assert all("mlp" in entry["of"] for entry in listed["entries"])
    assert listed["bytes"] == sum(os.path.getsize(path) for path in kept())
    assert "mlp, batch 1024, budget 97.0%" in reprise("cache", "list")[0]


def check_limit():
    """What was used longest ago goes first."""
    (of_plan,) = kept(".plan")
    for path, time in ((of_plan, 2), (kept(".rpx")[0], 1)):
        os.utime(path, (time, time))
    size = os.path.getsize(of_plan)
    reprise("plan", *model, "--budget", "98%",
            REPRISE_CACHE_BYTES=str(size * 9 // 4))
    assert len(kept()) == 2 and of_plan in kept(), kept()
    reprise("plan", *model, "--budget", "98.5%",
            REPRISE_CACHE_BYTES=str(size * 9 // 4))
    assert len(kept()) == 2 and of_plan not in kept(), kept()


def check_clear():
    assert "removed  2 files" in reprise("cache", "clear")[0]
    assert kept() == []
    assert json.loads(reprise("cache", "clear", "--json")[0])["removed"] == 0
    assert json.loads(reprise("cache", "list", "--json")[0])["entries"] == []
    none = reprise("cache", "list", REPRISE_CACHE_BYTES="0")[0]
    assert none.startswith("nothing is kept: REPRISE_CACHE_BYTES is 0"), none


check_plans()
check_programs()
check_runs()
check_names()
check_answers()
check_damage()
check_two()
check_list()
check_limit()
check_clear()
print("as it was made")
