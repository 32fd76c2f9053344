"""The table of docs/recipe.md, from the schema.

    recipe_keys.py SCHEMA          prints it
    recipe_keys.py SCHEMA PAGE     fails where the page has another one
"""

import json
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


def table(schema):
    lines = ["| key | option | meaning | default, or an example |",
             "|---|---|---|---|"]
    for path, key in leaves(schema):
        option = key.get("x-option", "")
        option = "`" + option + "`" if option else \
            "as `" + key["x-spelling-of"] + "`"
        if "x-option-off" in key:
            option += ", `" + key["x-option-off"] + "`"
        lines.append(f"| `{path}` | {option} | {key['description']} "
                     f"| `{key['x-usual']}` |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = table(json.load(open(sys.argv[1])))
    if len(sys.argv) == 2:
        sys.stdout.write(text)
    elif text not in open(sys.argv[2]).read():
        sys.exit(f"{sys.argv[2]} has another table; its lines are to be:\n"
                 + text)
