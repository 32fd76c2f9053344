"""Keys of recipes that docs/from-other-frameworks.md names exist.

    frameworks.py SOURCE WORK

What stands in code in a column "here" of its tables, and what in its sentences
begins with a section of recipes, is a key or a piece of YAML: it is valid by
the schema and, where it says a value, by 'reprise recipe check', with a model
and what it NEEDS around it. "...", names of one letter and keys without a value
stand for any value: the schema's example takes their place. What is no key is
in WORDS. Where "here" is "the same", the keys named beside it exist below the
section that it names; what a table says is refused is refused, and answered with the key beside it.
"""

import functools
import json
import os
import re
import subprocess
import sys

import jsonschema
import yaml

import recipe_keys
from yaml12 import Loader

PAGE = "docs/from-other-frameworks.md"

# Code in the columns "here" that is no key: values, functions of nn, files.
WORDS = {
    "per-block", "segments=4", "segments=N", "annotated", "none", "cosine",
    "warmup", "f16", "nn", "config().activation_checkpointing(true)",
    "checkpointSequential(model, 4, x)", "keep(x)", "recompute(x)",
    ".safetensors", "reprise plan", "reprise why", "ignore_index",
    "sg.cross_entropy",
    # Of United Perception's, told apart from what is here.
    "save_cur_start: -1", "level: {num: 1}", "enable: false",
    "patterns_mode: level", "neck", "roi_head", "max_memory", "max_norm",
    "logdir",
}  # fmt: skip
# Beside keys of MedFusion's that are refused: those below the one before.
BELOW = {"patience", "min_delta", "monitor", "save_last"}

# Sections and keys of United Perception that recipes do not have.
FOREIGN = {"trainer", "saver", "runtime", "dataset", "net", "num_classes"}

# What a run with a key needs besides.
NEEDS = {
    "training.amp_type": {"training": {"use_amp": True}},
    "hooks.auto_save_best": {"hooks": {"auto_save_best": {"dir": "a"}}},
}

source, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.makedirs(work, exist_ok=True)
schema = json.load(open(source + "/docs/recipe.schema.json"))
validator = jsonschema.Draft202012Validator(schema)
usual = {path: yaml.load(key.get("x-default", key.get("x-example")), Loader)
         for path, key in recipe_keys.leaves(schema)}
sections = {path[:at] for path in usual for at in range(len(path))
            if path[at] == "."}
top = {path.split(".")[0] for path in usual}


def is_placeholder(value):
    return value is None or value == "..." or bool(
        isinstance(value, str) and re.fullmatch(r"[a-z]\d?|[A-Z]+", value))


def nested(path, value):
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


def has(recipe, path):
    for name in path.split(".") if path else []:
        if name not in recipe:
            return False
        recipe = recipe[name]
    return True


def filled(value, path):
    """The value with examples of the schema for placeholders."""
    if isinstance(value, dict):
        return {name: filled(one, f"{path}.{name}")
                for name, one in value.items()}
    listed = value if isinstance(value, list) else [value]
    return usual.get(path, value) if any(map(is_placeholder, listed)) else value


def read_code(text):
    """The recipe that a piece of code is; None if it is none."""
    path, colon, value = text.partition(":")
    if not re.fullmatch(r"[a-z_]+(\.[a-z_]+)*", path):
        return None
    if path.split(".")[0] not in top or (
            not colon and "." not in path and path not in top):
        return None
    if not colon and path in sections | top:
        return {}  # it is there
    return nested(path, filled(yaml.load(value, Loader), path))


def merged(first, second):
    if not (isinstance(first, dict) and isinstance(second, dict)):
        return second
    return first | {name: merged(first.get(name), value)
                    for name, value in second.items()}


@functools.lru_cache(None)
def asked(text):
    """What the tool says of a recipe with what it needs around it."""
    recipe = merged({"model": {"name": "mlp"}, "data": {"source": "synthetic"}},
                    json.loads(text))
    if not has(recipe, "training.steps"):
        recipe = merged({"training": {"epochs": 1}}, recipe)
    for path, needed in NEEDS.items():
        if has(recipe, path):
            recipe = merged(needed, recipe)
    with open(os.path.join(work, "one.yaml"), "w") as out:
        json.dump(recipe, out)
    return subprocess.run(["reprise", "recipe", "check", out.name], text=True,
                          capture_output=True).stderr


def mistake(recipe, asks):
    """What the schema or else the tool has against a recipe; or ""."""
    for error in validator.iter_errors(recipe):
        return error.message
    return asked(json.dumps(recipe)) if asks else ""


def rows(text):
    """(line, heading of the first column, cells) of the tables."""
    header = None
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not line.startswith("|"):
            header = None
        elif header is None:
            header = cells
        elif not re.fullmatch(r"[|-]+", line):
            yield number, header, cells


def codes(text):
    return re.findall(r"`([^`]+)`", text)


def check_row(header, cells):
    """What is wrong in a row; pairs of code and message."""
    takes = header[1] == "what it says here"
    here = codes(cells[1]) + (codes(cells[0]) if takes else [])
    for code in here:
        recipe = read_code(code)
        if recipe is None:
            if code not in WORDS:
                yield code, "is neither a key nor a word that is known"
        elif wrong := mistake(recipe, ":" in code):
            yield code, wrong
    if "the same" in cells[1] and not takes:
        section = codes(cells[1])[0]
        for name in codes(cells[0]):
            if name not in (section.split(".")[-1], "trainer") and (
                    wrong := mistake(nested(
                        f"{section}.{name}",
                        usual.get(f"{section}.{name}")), False)):
                yield name, wrong


def check_refused(spelled):
    """Those of the codes that something takes, or that are not answered with
    what stands beside them; spelled: the code, and what does."""
    for code, here in spelled:
        path, _, value = code.partition(":")
        recipe = nested(path, yaml.load(value, Loader) or 1)
        said = asked(json.dumps(recipe))
        keys = [one.partition(":")[0] for one in codes(here)]
        if validator.is_valid(recipe) or "no key is named '" not in said:
            yield code, "is not refused"
        elif not any(f"it is '{key}" in said for key in keys) and (
                "leave it out" not in said or "left out" not in here):
            yield code, f"is answered with {said}"


def main():
    text = open(os.path.join(source, PAGE)).read()
    others = text[: text.index("\n## From United Perception")].count("\n")
    failed, refused, seen = [], [], 0
    for number, header, cells in rows(text):
        seen += len(codes(cells[1]))
        wrong = list(check_row(header, cells))
        # The table of MedFusion's own spellings, and keys to leave out.
        if header == ["key there", "here"] and number < others:
            refused += [(code, cells[1]) for code in codes(cells[0])
                        if code not in BELOW]
        elif header == ["key there", "here"]:
            refused += [(code, cells[1]) for code in codes(cells[0])
                        if code.split(".")[0] in FOREIGN and code != "trainer"]
        if "the key is refused" in cells[1]:
            refused.append(("hooks.train_val_logger." + codes(cells[0])[0],
                            cells[1]))
        failed += [(number, *one) for one in wrong]
    for number, line in enumerate(text.split("\n"), 1):
        for code in codes(line) if not line.startswith("|") else []:
            recipe = read_code(code)
            seen += recipe is not None
            if recipe and (wrong := mistake(recipe, ":" in code)):
                failed.append((number, code, wrong))
    failed += [(0, *one) for one in check_refused(refused)]
    print(seen, "keys and words,", len(refused), "refused")
    for number, code, wrong in failed:
        print(f"{PAGE}:{number}: '{code}': {wrong}")
    sys.exit(bool(failed) or seen < 100 or len(refused) < 35)


if __name__ == "__main__":
    main()
