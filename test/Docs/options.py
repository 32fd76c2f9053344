"""The options that the tools really have, as their help says."""

import functools
import os
import re
import subprocess

# Commands that have commands.
GROUPS = ("zoo", "onnx", "recipe", "device", "cache")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


@functools.lru_cache(None)
def options_of(words):
    """Of a command as a tuple of words, such as ("reprise", "plan")."""
    done = subprocess.run([*words, "--help"], text=True, capture_output=True)
    if done.returncode:
        return None
    return frozenset(OPTION.findall(done.stdout)) | {"--help"}


@functools.lru_cache(None)
def commands_of(*words):
    """The subcommands that the help of a tool or command lists."""
    done = subprocess.run([*words, "--help"], text=True, capture_output=True)
    listed = done.stdout.partition("ommands:")[2]
    return frozenset(re.findall(r"^  ([a-z]+)  ", listed, re.M))


def check_command(command, source):
    """What is wrong with a command line, by its tool and options; or ""."""
    words = command.removeprefix("time ").split()
    tool = words[0]
    if "/" in tool:
        exists = any(os.path.exists(os.path.join(source, tool + end))
                     for end in ("", ".cpp", ".sh", ".py"))
        return "" if exists else f"there is no {tool}"
    if tool not in ("reprise", "reprise-plan"):
        return ""
    path = tuple(words[: 3 if words[1] in GROUPS else 2])
    known = options_of(path)
    if known is None:
        return f"there is no '{' '.join(path)}'"
    wrong = set(OPTION.findall(command)) - known
    return f"'{' '.join(path)}' has no {sorted(wrong)}" if wrong else ""
