"""What a kernel costs that nobody has timed does not depend on library calls.

check_kinds.py PROFILE ARTIFACT MODEL...: by what 'profile' predicts of the
artifact, and by what 'plan' says of the model without recomputation."""

import json
import subprocess
import sys

profile, artifact, model = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3:]
rates = ["--roofline", "100GFLOPS,10GB/s", "--profile", "kinds.json", "--json"]


def run(*command):
    done = subprocess.run(["reprise", *command, *rates],
                          capture_output=True, check=True)
    return json.loads(done.stdout)


def write(ops):
    with open("kinds.json", "w") as file:
        json.dump({**profile, "ops": ops}, file)


def predict():
    return run("profile", artifact, "--steps", "1", "--ops", "1000")


def price(ops):
    write(ops)
    (plan,) = run("plan", *model, "--budget", "100%")["plans"]
    return predict()["predicted_ms"], plan["without_recomputation"]["milliseconds"]


write(profile["ops"])
known = predict()["ops"]
calls = {op["key"]: op["steps"] for op in known if op["by"] == "library"}
kernels = [op for op in known if op["by"] != "library"]
assert calls and len(kernels) > 3
untimed = max(kernels, key=lambda op: op["bytes"])["key"]
ops = [op for op in profile["ops"] if op["key"] != untimed]
slow = [{**op, "ms": op["ms"] * 1000} if op["key"] in calls else op for op in ops]
more = sum(999 * op["ms"] * calls[op["key"]] for op in ops if op["key"] in calls)
for all_timed, before, behind in zip(price(profile["ops"]), price(ops), price(slow)):
    assert before != all_timed
    assert abs(behind - before - more) < 1e-6 * more, (before, behind, more)
