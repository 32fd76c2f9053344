"""Recipes of the docs: valid by the schema, by the tool, and trained.

    recipes.py SOURCE WORK

Every fenced block of YAML of docs/*.md is validated by a JSON Schema library
that shares no code with the tool, checked by 'reprise recipe check', and run
in a small form. Then what the schema and the tool refuse is compared.
"""

import json
import os
import re
import subprocess
import sys

import jsonschema
import yaml

import options
import recipe_keys
from yaml12 import Loader

source, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.makedirs(work, exist_ok=True)
schema = json.load(open(source + "/docs/recipe.schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def by_schema(text):
    return validator.is_valid(yaml.load(text, Loader))


def by_tool(text):
    path = os.path.join(work, "one.yaml")
    with open(path, "w") as out:
        out.write(text)
    return subprocess.run(["reprise", "recipe", "check", path], text=True,
                          capture_output=True)


# Every option has its key, and the other way round.
keys = dict(recipe_keys.leaves(schema))
keyed = {key["x-option"] for key in keys.values() if "x-option" in key}
keyed |= {key["x-option-off"] for key in keys.values() if "x-option-off" in key}
known = options.options_of(("reprise", "train")) - {
    "--help", "--recipe", "--quiet", "--verbose"}
assert keyed - {"model"} == known, (
    "options without a key:", sorted(known - keyed),
    "keys without an option:", sorted(keyed - known - {"model"}))

# The examples.
SMALL = {"resnet18": ["--width", "8", "--batch", "8", "--no-eval"],
         "mlp": []}
examples = []
for page in sorted(os.listdir(source + "/docs")):
    if page.endswith(".md"):
        text = open(os.path.join(source, "docs", page)).read()
        examples += [(page, block) for block in
                     re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S)]
assert len(examples) >= 3
for number, (page, text) in enumerate(examples):
    assert by_schema(text), (page, text, list(validator.iter_errors(
        yaml.load(text, Loader))))
    checked = by_tool(text)
    assert checked.returncode == 0, (page, text, checked.stderr)
    path = os.path.join(work, f"example{number}.yaml")
    with open(path, "w") as out:
        out.write(text)
    model = re.search(r"resnet18|mlp", text).group()
    folder = os.path.join(work, f"run{number}")
    os.makedirs(folder, exist_ok=True)
    run = subprocess.run(["reprise", "train", "--recipe", path, "--steps", "6",
                          *SMALL[model]], text=True, capture_output=True,
                         cwd=folder)
    assert run.returncode == 0, (page, text, run.stderr)

# A commented recipe is one, and with all comments taken away by the schema.
for model in ("resnet18", "mlp"):
    text = subprocess.run(["reprise", "recipe", "init", model], text=True,
                          capture_output=True, check=True).stdout
    assert by_schema(text) and by_tool(text).returncode == 0
    every = re.sub(r"^( *)#(?! )", r"\1", text, flags=re.M)
    assert not re.search(r"\bpatch:", every)  # of another model
    loaded = yaml.load(every, Loader)
    assert validator.is_valid(loaded), list(validator.iter_errors(loaded))

# Every value that is no example is the default: stating it changes no bit. Defaults
# of other optimizers and schedules, and of hooks that are off, cannot be stated.
text = subprocess.run(["reprise", "recipe", "init", "mlp"], text=True,
                      capture_output=True, check=True).stdout
body, hooks, rest = re.split(r"^(#hooks:\n(?:  .*\n)+)", text, flags=re.M)
default = r"^( *)#(?! )(?!(?:beta1|beta2|epsilon|step_size|gamma|json):)(.*)(?<!example)$"
said, count = re.subn(default, r"\1\2", body, flags=re.M)
assert count > 15 and "# for example" in said, text
states = []
for name, recipe in (("less", text), ("more", said + hooks + rest)):
    path = os.path.join(work, name + ".yaml")
    with open(path, "w") as out:
        out.write(recipe)
    state = os.path.join(work, name + ".safetensors")
    subprocess.run(["reprise", "train", "--recipe", path, "--steps", "2",
                    "--save", state], check=True, capture_output=True)
    data = open(state, "rb").read()
    states.append(data[8 + int.from_bytes(data[:8], "little"):])
assert states[0] == states[1]

# One that is there is not replaced.
path = os.path.join(work, "less.yaml")
again = subprocess.run(["reprise", "recipe", "init", "resnet18", "-o", path],
                       text=True, capture_output=True)
assert again.returncode == 1 and "is there already" in again.stderr, again
assert open(path).read() == text

# What one refuses the other refuses.
for entry in ["optimizer: {lr: fast}", "optimizer: {lr: '1'}",
              "training: {seed: -1}", "training: {seed: 1.5}",
              "training: {epocs: 1}", "trainig: {}", "model: [a]", "[]", "1",
              "training: {fusion: maybe}", "training: {check_finite: 1}",
              "training: {check_finite: yes}", "training: {keep: []}",
              "training: {keep: [[a]]}", "training: {budget: ''}",
              "optimizer: {nesterov: 1}", "schedule: linear",
              "schedule: {name: [cosine]}", "output: {save: }",
              "training: {seed: 9223372036854775808}",
              "hooks: {auto_save_best: }", "hooks: [{type: reload}]",
              "hooks: [{type: reload, kwargs: {way: a}}]"]:
    assert not by_schema(entry), entry
    checked = by_tool(entry)
    assert checked.returncode == 2, (entry, checked)
    assert re.search(r"one\.yaml:1:\d+: error: ", checked.stderr), (
        entry, checked.stderr)
print(len(examples), "examples,", len(keys), "keys")
