"""Every option that a message of the tools names is one of the tools.

Reads the texts in quotes of the sources below. A file that serves one command
may name that command's options only; others may name what one of their tool's
commands has.

    hints.py SOURCE
"""

import os
import re
import sys

import options

# Of which tool's user the messages are.
FOLDERS = {
    "tools/reprise": "reprise",
    "lib/PlanSearch": "reprise-plan",
    "tools/reprise-plan": "reprise-plan",
    "lib": "reprise",
    "passes": "reprise",
    "runtime": "reprise",
}
# Options of a linker and of tar, not of ours.
EXCEPT = {"lib/Target/Cpu/LinkImage.cpp",
          "runtime/trainer/data/shards/ShardFiles.cpp"}


def texts(path):
    """The texts in quotes of a file, adjacent ones joined; with lines."""
    source = open(path, errors="replace").read()
    source = re.sub(r"^\s*(//|#include).*$", "", source, flags=re.M)
    for run in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*',
                           source):  # fmt: skip
        parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', run.group())
        yield source[: run.start()].count("\n") + 1, "".join(parts)


def own_command(path, tool):
    """The command that a file XCommand.cpp serves, or None."""
    name = re.match(r"([A-Z][a-z]+)Command\.cpp$", os.path.basename(path))
    command = name and name.group(1).lower()
    return command if command in options.commands_of(tool) else None


def known_options(tool, command):
    if tool == "reprise" and command in options.GROUPS:
        return frozenset().union(*(
            options.options_of((tool, command, one))
            for one in options.commands_of(tool, command)))
    return options.options_of((tool, command)) or frozenset()


def wrong_in(text, tool, command):
    """Options in a text that its reader does not have."""
    everywhere = options.options_of((tool,)).union(
        *(known_options(tool, c) for c in options.commands_of(tool)))
    # A command named in the text has the options behind it.
    named = re.search(rf"\b{tool} ([a-z]+)\b", text)
    named = named and named.group(1) in options.commands_of(tool)
    allowed = everywhere if named or not command else known_options(
        tool, command) | options.options_of((tool,))
    return sorted(set(options.OPTION.findall(text)) - allowed)


def main():
    source, bad, seen = sys.argv[1], [], 0
    for folder, tool in FOLDERS.items():
        for path, inner, names in os.walk(os.path.join(source, folder)):
            inner[:] = [name for name in inner if os.path.relpath(
                os.path.join(path, name), source) not in FOLDERS]
            for name in sorted(names):
                file = os.path.relpath(os.path.join(path, name), source)
                if not name.endswith((".cpp", ".h")) or file in EXCEPT:
                    continue
                command = own_command(file, tool)
                for line, text in texts(os.path.join(source, file)):
                    seen += len(options.OPTION.findall(text))
                    for option in wrong_in(text, tool, command):
                        bad.append(f"{file}:{line}: '{tool} "
                                   f"{command or '...'}' has no {option}")
    print(f"{seen} options in messages")
    # So that a change of the sources' spelling does not empty the test.
    assert seen > 100, "too few options were found"
    print("\n".join(bad))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
