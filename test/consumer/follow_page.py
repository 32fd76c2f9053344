"""Follows a how-to literally: writes its files, runs its commands.

    follow_page.py PAGE WORK

Each section ("## ...") with files has a folder of its own in WORK. A fence below
a line "`NAME`:" is the file NAME; one of sh is run by bash, and has to succeed;
one of text is what the commands before it print: each line is one of their
output, in this order, "..." in it whatever there is. The environment has PREFIX,
the tools of which are found first.
"""

import os
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"(?:^`([^`\n]+)`:\n\n)?^```(\w*)\n(.*?)^```$", re.M | re.S)


def missing_line(expected, output):
    """The first expected line that is not in the output, after those before
    it; or ""."""
    rest = iter(line.rstrip() for line in output.split("\n"))
    for line in expected.rstrip("\n").split("\n"):
        pattern = ".*".join(map(re.escape, line.split("...")))
        pattern = re.sub(r"(\\ )+", " +", pattern)
        if not any(re.fullmatch(pattern, one) for one in rest):
            return line
    return ""


def run(commands, folder):
    environment = dict(os.environ)
    environment["PATH"] = f"{environment['PREFIX']}/bin:{environment['PATH']}"
    done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", commands],
                          cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{folder}:\n{commands}exited with {done.returncode}:\n"
                 f"{done.stdout}")
    return done.stdout


def main():
    page, work = sys.argv[1:3]
    counts = {"file": 0, "sh": 0, "text": 0}
    for section in re.split(r"^## ", open(page).read(), flags=re.M)[1:]:
        title = section.split("\n")[0]
        folder = os.path.join(work, re.sub(r"\W+", "-", title.lower()))
        shutil.rmtree(folder, ignore_errors=True)
        output = ""
        for name, language, text in FENCE.findall(section):
            os.makedirs(folder, exist_ok=True)
            kind = "file" if name else language
            if kind not in counts:
                sys.exit(f"'{title}': a fence of {language} has no file's name")
            counts[kind] += 1
            if kind == "file":
                open(os.path.join(folder, name), "w").write(text)
            elif kind == "sh":
                output = run(text, folder)
            elif missing := missing_line(text, output):
                sys.exit(f"'{title}': not printed: {missing}\n{output}")
    print(f"followed {page}: {counts}")
    if not all(counts.values()):
        sys.exit("a page to follow has files, commands and what they print")


main()
