"""The table of docs/recipe.md, from the schema.

    recipe_keys.py SCHEMA          prints it
    recipe_keys.py SCHEMA PAGE     fails where the page has another one
    recipe_keys.py SCHEMA PAGE SETTINGS.def
                                   and where its list of the keys that are not
                                   in a state's recipe is not that of the source
"""

import json
import re
import sys


def leaves(schema, path=""):
    for one in schema.get("oneOf", []):
        if "properties" in one:
            schema = one
    for name, value in schema["properties"].items():
        own = f"{path}.{name}" if path else name
        if "properties" in value or any(
                "properties" in one for one in value.get("oneOf", [])):
            yield from leaves(value, own)
        else:
            yield own, value


def usual_of(key):
    """The default, or else an example, told as one."""
    if "x-default" in key:
        return f"`{key['x-default']}`"
    return f"as `{key['x-example']}`"


def table(schema):
    lines = ["| key | option | meaning | default, or \"as\" an example |",
             "|---|---|---|---|"]
    for path, key in leaves(schema):
        option = key.get("x-option", "")
        option = "`" + option + "`" if option else \
            "as `" + key["x-spelling-of"] + "`"
        if "x-option-off" in key:
            option += ", `" + key["x-option-off"] + "`"
        lines.append(f"| `{path}` | {option} | {key['description']} "
                     f"| {usual_of(key)} |")
    return "\n".join(lines) + "\n"


def check_left_out(page, source):
    """What the page says is left out, by keys or sections, and what is."""
    listed = re.search(r"settings that no bit of the run depends on\s+"
                       r"\(([^)]*)\)", page)
    listed = re.findall(r"`([a-z_.]+)`", listed.group(1))
    # As the page calls them: of training by their last name.
    settings = re.split(r"^\w*SETTING\(", source, flags=re.M)[1:]
    left_out = [re.match(r'\w+,\s*"([a-z_.]+)"', one).group(1)
                .removeprefix("training.")
                for one in settings if ".beside()" in one]
    assert len(left_out) > 10
    missing = [path for path in left_out if not any(
        (path + ".").startswith(name + ".") for name in listed)]
    more = [name for name in listed if not any(
        (path + ".").startswith(name + ".") for path in left_out)]
    if missing or more:
        sys.exit(f"the page lacks {missing}, and has without reason {more}")


if __name__ == "__main__":
    text = table(json.load(open(sys.argv[1])))
    if len(sys.argv) == 2:
        sys.stdout.write(text)
    elif text not in open(sys.argv[2]).read():
        sys.exit(f"{sys.argv[2]} has another table; its lines are to be:\n"
                 + text)
    if len(sys.argv) == 4:
        check_left_out(open(sys.argv[2]).read(), open(sys.argv[3]).read())
