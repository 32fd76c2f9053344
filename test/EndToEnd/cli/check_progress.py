"""What a terminal shows while a command works."""

import os
import re
import subprocess
import sys

folder = sys.argv[1]
compiling = ["compile", "resnet18", "--checkpointing", "none", "--batch", "2",
             "--image", "32x32", "--threads", "2", "-o", os.path.join(folder, "t.rpx")]  # fmt: skip


def shown(*arguments):
    """What `reprise ARGUMENTS` writes to a terminal as errors."""
    ours, theirs = os.openpty()
    run = subprocess.Popen(["reprise", *arguments], stderr=theirs,
                           stdout=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 4096):
            text += chunk
    except OSError:  # how Linux says that the other side is closed
        pass
    run.wait()
    os.close(ours)
    return text.decode()


text = shown(*compiling)
lines = text.split("\r")
assert "\n" not in text, repr(text)
compiles = r"compiling resnet18: compiling \d+ kernels, (\d+%, )?\d+ s\x1b\[K"
assert any(re.fullmatch(compiles, line) for line in lines), lines
assert len([line for line in lines if "resnet18" in line]) > 2, lines
assert text.endswith("\r\x1b[K"), repr(text)
print("compile: rewritten and gone")

text = shown("--quiet", *compiling)
assert text == "", repr(text)
print("quiet: nothing")

text = shown("train", "resnet18", "--batch", "2", "--image", "32x32", "--data",
             "synthetic", "--memory-limit", "10MiB", "--steps", "1")  # fmt: skip
before, _, error = text.partition("error: ")
assert "compiling resnet18" in before and before.endswith("\r\x1b[K"), repr(text)
assert "more than the limit of 10.0 MiB" in error and "\r\x1b" not in error, repr(text)
print("error: on a line of its own")
