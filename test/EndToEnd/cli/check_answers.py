"""check_answers.py DIR: every answer to --json is one object that begins with
its version; what is refused says why in "error", as on standard error. DIR
holds mlp.rpx."""

import json
import os
import subprocess
import sys

os.chdir(sys.argv[1])
RATES = "--roofline 100GFLOPS,10GB/s"


def ask(command, code):
    done = subprocess.run(["reprise", *command.split()], text=True,
                          capture_output=True)
    assert done.returncode == code, (command, done)
    answer = json.loads(done.stdout)
    assert list(answer)[:1] == ["version"] and answer["version"] == 1, command
    if code == 0:
        assert "error" not in answer, command
        return answer
    assert answer["error"], command
    assert f"error: {answer['error']}" in done.stderr, (command, done)
    return answer


def has(command, *names):
    answer = ask(command + " --json", 0)
    for name in names:
        assert name in answer, (command, name)
    return answer


has("zoo list", "models")
has("device list", "devices")
has("plan mlp", "plans")
has(f"plan mlp --budget 100% {RATES}", "plans")
has(f"plan mlp --compare {RATES}", "plans")
has(f"plan mlp --sweep {RATES}", "plans")
has(f"plan mlp --max-batch --budget 1MiB {RATES}", "plans")
has("plan mlp --process", "plans")
has("compile mlp -o again.rpx", "model", "entries")
has("inspect mlp.rpx --steps", "entries")
has("why mlp", "peak_step")
has(f"profile mlp.rpx --steps 1 {RATES}", "ops")
has("train mlp --data synthetic --steps 1 --save s.safetensors", "loss")
has("eval mlp --resume s.safetensors --data synthetic", "loss")

has("report mlp.rpx -o page.html", "output", "entries")
open("good.yaml", "w").write("model: mlp\ntraining: {steps: 2}\n"
                             "optimizer: {lr: 5e-4}\ndata: synthetic\n")
assert has("recipe check good.yaml", "keys")["problems"] == []
settings = has("recipe show good.yaml", "settings")["settings"]
assert settings["training.steps"] == 2, settings
assert settings["optimizer.lr"] == 5e-4 and settings["model.name"] == "mlp"
open("bad.yaml", "w").write("model: mlp\ntraining:\n  stpes: 2\n"
                            "data: synthetic\n")
done = subprocess.run(["reprise", "recipe", "check", "bad.yaml", "--json"],
                      text=True, capture_output=True)
answer = json.loads(done.stdout)
(problem,) = answer["problems"]
assert done.returncode == 2 and answer["version"] == 1 and answer["error"]
assert (problem["file"], problem["line"], problem["column"]) == (
    "bad.yaml", 3, 3), problem
assert "stpes" in problem["message"] and problem["message"] in done.stderr

ask("plan no-model --json", 2)
ask("plan mlp --bacth 4 --json", 2)
ask("--json plan mlp --batch", 2)
ask("train mlp --data none --steps 1 --json", 1)
ask("inspect none.rpx --json", 1)
refused = ask(f"plan mlp --budget 1KiB {RATES} --json", 1)
assert not refused["plans"][0]["feasible"], refused
ask(f"compile mlp --budget 1KiB {RATES} -o no.rpx --json", 1)
