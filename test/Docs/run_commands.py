"""Runs every command of README.md and docs/*.md, each page in a folder.

What stands below a command that begins with "$ " is what it prints: each line is
one of its output, in this order, "..." in it whatever there is. The pages show
kernels of AVX-512: on other processors, output and warnings are not compared.

A command is a line of a code block, or a span of code in a sentence or table,
that begins with one of our tools (TOOLS), or with "$ ". What is too big for a
test, or needs what a test has not, is in commands.txt: it runs in the form
that stands there, or not at all, for the reason that stands there. Everything
else runs as it is printed and has to succeed. An entry that no page has is an
error. So is a line that begins with "$ " and no known tool, and a command of
no known tool: a line of a code block that begins with a program of this system
or of the repository, or stands in a block with a command, and a span of two or
more words that begins so.

    run_commands.py SOURCE BUILD WORK [PAGE...]
"""

import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

import options

TOOLS = [
    "reprise", "reprise-opt", "reprise-plan", "reprise-reduce",
    "reprise-lsp-server", "mlir-opt-22", "cmake", "ninja", "ctest", "cmp",
    "export", "tools/quickstart", "tools/run-tests", "test/benchmark/",
    "test/faults/", "PlanTest", "random_training", "apt-get", "git", "sed",
    "random_plans", "fuzz", "kernels-to-gpu", "tools/package", "step_time",
    "budgets", "test/EndToEnd/cli/", "apt", "source", "man", "time", "cc",
    "mpirun", "srun",
]  # fmt: skip
SUBCOMMANDS = {"reprise": {"zoo", "onnx", "rematerialize", "compile", "plan", "why", "profile",
                           "train", "eval", "predict", "report", "inspect", "recipe",
                           "completion", "man"},
               "reprise-plan": {"solve", "bound", "validate", "sweep",
                                "place"}}  # fmt: skip


def begins_with_tool(text):
    word = text.split(" ")[0]
    return any(word == t or (t.endswith("/") and word.startswith(t) and
                             len(word) > len(t)) for t in TOOLS)


def strip_comment(line):
    return re.sub(r"\s+#\s.*$", "", line).strip()


def join_lines(lines):
    return re.sub(r"\s*\\\s*\n\s*", " ", "\n".join(lines)).strip()


def block_commands(page):
    """Commands of indented blocks; (place, command)."""
    lines, at, fenced = page.split("\n"), 0, False
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            fenced = not fenced
        at += 1
        if fenced or not line.startswith("    "):
            continue
        text = line.strip()
        marked = text.startswith("$ ")
        if not marked and not begins_with_tool(text):
            continue
        if not marked and re.match(r"\S+ +[a-z]+: ", text):
            continue  # what a tool prints
        group = [text[2:] if marked else text]
        while group[-1].endswith("\\"):
            group.append(lines[at].strip())
            at += 1
        command = strip_comment(join_lines(group))
        if not begins_with_tool(command):
            sys.exit(f"line {at}: '{command}' begins with no known tool")
        yield at, command


def printed(page):
    """{command: lines} of the commands below which their output stands."""
    outputs, command, lines = {}, "", None
    for line in page.split("\n"):
        text = line.strip()
        if command.endswith("\\"):
            command += "\n" + text
        elif line.startswith("    $ "):
            command = text[2:]
        elif line.startswith("    ") and lines is not None:
            lines.append(text)
            continue
        else:
            command, lines = "", None
            continue
        lines = None if command.endswith("\\") else outputs.setdefault(
            strip_comment(join_lines(command.split("\n"))), [])
    return {command: lines for command, lines in outputs.items() if lines}


def missing_line(lines, output):
    """The first of the lines that is not in the output, behind those before
    it; or ""."""
    rest = iter(re.sub(r"[ \t]+", " ", output).split("\n"))
    for line in lines:
        parts = re.sub(r"[ \t]+", " ", line).split("...")
        pattern = ".*".join(map(re.escape, parts))
        if line != "..." and not any(re.fullmatch(pattern, one.strip())
                                     for one in rest):
            return line
    return ""


def code_blocks(page):
    """Indented blocks outside of fences: lists of (line, text), joined where
    a line goes on."""
    block, fenced, goes_on = [], False, False
    for number, line in enumerate(page.split("\n") + [""], 1):
        if line.startswith("```"):
            fenced = not fenced
        if fenced or not line.startswith("    "):
            if block:
                yield block
            block, goes_on = [], False
            continue
        if goes_on:
            block[-1] = (block[-1][0], block[-1][1] + " " + line.strip())
        else:
            block.append((number, line.strip()))
        goes_on = line.endswith("\\")


def spans(page):
    """Spans of code in sentences and tables: two words and more."""
    def blank(match):
        return re.sub(r"[^\n]", "", match.group())

    prose = re.sub(r"^```.*?^```$", blank, page, flags=re.M | re.S)
    prose = re.sub(r"^    .*$", blank, prose, flags=re.M)
    for span in re.finditer(r"`([^`]+)`", prose):
        text = re.sub(r"\s+", " ", span.group(1)).strip()
        if " " in text:
            yield prose[: span.start()].count("\n") + 1, text


def begins_with_program(text, source):
    """Whether the first word is a program of the system or the repository."""
    word = text.split(" ")[0]
    path = os.path.join(source, word)
    return begins_with_tool(text) or bool(shutil.which(word)) or (
        "/" in word and os.path.isfile(path))


def unknown_commands(page, source):
    """(line, command) for what looks like a command and is of no known tool."""
    for block in code_blocks(page):
        lines = [(line, text) for line, text in block
                 if not text.startswith("#")]
        if any(re.match(r"\$ |(\S+: )?(error|warning): ", text) or
               re.search("[\u2500-\u257f]", text) for _, text in lines):
            continue  # with what it prints, a message, or a drawing
        if any(begins_with_program(text, source) for _, text in lines):
            for line, text in lines:
                if not begins_with_tool(text):
                    yield line, strip_comment(text)
    for line, text in spans(page):
        if not begins_with_tool(text) and begins_with_program(text, source):
            yield line, text


def span_commands(page):
    """Those that are commands."""
    for line, text in spans(page):
        words = text.split(" ")
        if not begins_with_tool(text):
            continue
        known = SUBCOMMANDS.get(words[0])
        if known and words[1] not in known:
            continue
        if known and all(word.startswith("--") for word in words[2:]):
            continue  # a command's name, or that of an option of it
        yield line, text


def read_list(path):
    """commands.txt: {command: (how, instead)}, {page: setup}, pages."""
    entries, setups, checked = {}, {}, set()
    for number, line in enumerate(open(path), 1):
        line = line.rstrip("\n")
        if line.startswith("#"):
            continue
        if line.startswith("check "):
            checked.add(line.split(" ")[1])
        elif line.startswith("before "):
            page, command = line[len("before "):].split(": ", 1)
            setups.setdefault(page, []).append(command)
        elif line.startswith(("skip ", "as ")):
            how, rest = line.split(" ", 1)
            command, _, instead = rest.partition(" => ")
            if how == "as" and not instead:
                sys.exit(f"{path}:{number}: what is run instead?")
            entries[command] = (how, instead)
        elif line.strip():
            sys.exit(f"{path}:{number}: not understood: {line}")
    return entries, setups, checked


def has_avx512(environment):
    """Whether the commands form the kernels that the pages show."""
    listed = json.loads(subprocess.check_output(
        ["reprise", "device", "list", "--json"], env=environment))
    return any("avx512dq" in device.get("features", "").split(",")
               for device in listed["devices"])


def run(command, folder, environment, lines, is_shown):
    begin = time.time()
    done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command],
                          cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(f"  {time.time() - begin:6.1f} s  {command}", flush=True)
    warnings = re.findall(r"^.*warning: .*$", done.stdout, re.M)
    if not is_shown:
        # Other kernels take other bytes, which the pages do not show.
        warnings, lines = [], []
    if done.returncode or warnings:
        print(done.stdout[-3000:])
        print(f"    exit code {done.returncode}, {len(warnings)} warnings")
        return False
    if missing := missing_line(lines, done.stdout):
        print(done.stdout[-3000:])
        print(f"    does not print: {missing}")
        return False
    return True


def make_folder(work, page, source, build):
    """A folder that looks like the repository's root after a build."""
    folder = os.path.join(work, page.replace("/", "-"))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "build"))
    os.symlink(build, os.path.join(folder, "build", "release"))
    for name in ["tools", "test", "docs", "include"]:
        os.symlink(os.path.join(source, name), os.path.join(folder, name))
    return folder


def main():
    source, build, work = map(os.path.abspath, sys.argv[1:4])
    pages = sys.argv[4:] or ["README.md"] + sorted(
        os.path.relpath(n, source)
        for folder in ["*", "howto/*", "rationale/*", "benchmarks/**/*"]
        for n in glob.glob(f"{source}/docs/{folder}.md", recursive=True))
    entries, setups, checked = read_list(os.path.join(os.path.dirname(__file__),
                                             "commands.txt"))
    environment = dict(os.environ)
    environment["PATH"] = build + "/bin:" + environment["PATH"]
    # Pages name some models often, and each is planned once.
    environment["XDG_CACHE_HOME"] = work + "/cache"
    environment.pop("REPRISE_CACHE_BYTES", None)
    # Threads that wait beside other tests sleep.
    environment.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ["PATH"] = environment["PATH"]
    is_shown = has_avx512(environment)
    used, failed = set(), []
    counts = {"run": 0, "as": 0, "skip": 0, "check": 0, "compared": 0}
    for page in pages:
        print(page)
        text = open(os.path.join(source, page)).read()
        folder = make_folder(work, page, source, build)
        for command in setups.get(page, []):
            if not run(command.replace("%source", shlex.quote(source)), folder,
                       environment, [], is_shown):
                failed.append((page, 0, command))
        for line, command in unknown_commands(text, source):
            used.add(command)
            if entries.get(command, ("run",))[0] != "skip":
                failed.append((page, line, "of no known tool: " + command))
        seen, outputs = set(), printed(text)
        compared = set()
        for line, command in sorted([*block_commands(text),
                                     *span_commands(text)]):
            if command in seen:
                continue
            seen.add(command)
            how, instead = entries.get(command, ("run", ""))
            how = "check" if page in checked else how
            used.add(command)
            counts[how] += 1
            wrong = options.check_command(command, source)
            if wrong:
                failed.append((page, line, wrong))
            elif how not in ("skip", "check"):
                # A command that runs in another form prints something else.
                lines = [] if instead else outputs.get(command, [])
                compared |= {command} if lines else set()
                if not run(instead or command, folder, environment, lines,
                           is_shown):
                    failed.append((page, line, command))
        counts["compared"] += len(compared)
        if outputs.keys() - compared:
            failed += [(page, 0, "output of what is not run: " + command)
                       for command in outputs.keys() - compared]
    print(counts)
    if not sys.argv[4:]:
        for command in entries.keys() - used:
            failed.append(("commands.txt", 0, "no page has: " + command))
    for page, line, command in failed:
        print(f"FAILED {page}:{line}: {command}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
