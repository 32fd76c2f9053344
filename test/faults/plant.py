"""Writes a copy of the sources in which the faults of substitutions/ are planted.

    plant.py SOURCE [OUT]     without OUT: prints the name and file of each fault

The copy has one of N faults where the environment asks for a shard of the tests by
GoogleTest's variables (GTEST_TOTAL_SHARDS=N, GTEST_SHARD_INDEX=I). The file planted.txt
of the copy lists the faults that it has: name, file, feature.

A fault is a statement that makes the code beside it err. The copy does it when
the environment variable REPRISE_FAULT has the fault's name at the start of the
process. A file of substitutions holds entries like this one:

    fault copy-too-long: a copy moves more bytes than it should
    file runtime/core/Copy.cpp
    |   std::memmove(target, source, bytes);
    +   std::memmove(target, source, bytes + 64);
    |   return target;

"|" lines stand in the file, next to each other and once; the statement of the "+"
lines goes between them. An empty line begins another place of the same fault. A
fault whose lines are not found, or found twice, is an error.

After "file", a line "needs avx512f" names a feature without which a processor never
runs the code, and a line "always" says that every shard has the fault, because a test
of the copy uses it.

Where a statement cannot be added, "-" lines are lines of the file that the "+" lines
replace; IS_CHOSEN in these is true when the fault is to happen.
"""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class Fault:
    def __init__(self, name, what, site):
        self.name, self.what, self.site = name, what, site
        self.file, self.feature, self.places = None, "", []
        self.is_of_all_shards = False

    def error(self, text):
        sys.exit(f"error: {self.site}: fault {self.name}: {text}")


def read_faults(folder):
    """Faults of all files of a folder, in order of file and line."""
    faults, names = [], set()
    for path in sorted(os.listdir(folder)):
        fresh = True
        for number, line in enumerate(open(os.path.join(folder, path)), 1):
            line = line.rstrip("\n")
            if match := re.fullmatch(r"fault ([a-z0-9-]+): (.+)", line):
                faults.append(Fault(*match.groups(), f"{path}:{number}"))
                if faults[-1].name in names:
                    faults[-1].error("named twice")
                names.add(faults[-1].name)
                fresh = True
            elif not line:
                fresh = True
            elif line.startswith("#"):
                continue
            elif faults and line.startswith("file "):
                faults[-1].file = line[5:]
            elif faults and line.startswith("needs "):
                faults[-1].feature = line[6:]
            elif faults and line == "always":
                faults[-1].is_of_all_shards = True
            elif faults and re.match(r"[-|+]( |$)", line):
                if fresh:
                    faults[-1].places.append([])
                    fresh = False
                faults[-1].places[-1].append((line[0], line[2:]))
            else:
                sys.exit(f"error: {path}:{number}: not understood: {line}")
    return faults


def find(fault, place, text):
    """The range of lines of `text` that the "+" lines of `place` replace."""
    kinds = "".join(kind for kind, _ in place)
    if not re.fullmatch(r"\|+\++\|+|\|*-+\++\|*", kinds):
        fault.error("a place has lines of the file around its statement, or lines "
                    "to replace before it")
    lines = [line for kind, line in place if kind != "+"]
    found = [at for at in range(len(text) - len(lines) + 1)
             if [line.rstrip() for line in text[at:at + len(lines)]] == lines]
    if len(found) != 1:
        fault.error(f"its lines stand {len(found)} times in {fault.file}")
    end = found[0] + kinds.index("+")
    return end - kinds.count("-"), end


def planted_lines(fault, place, replaces):
    """What stands in the copy for the "+" lines of `place`."""
    lines = [line for kind, line in place if kind == "+"]
    if replaces:
        chosen = f'REPRISE_IS_CHOSEN("{fault.name}")'
        text = "\n".join(lines)
        if "IS_CHOSEN" not in text:
            fault.error("IS_CHOSEN is missing in what replaces a line")
        return text.replace("IS_CHOSEN", chosen).split("\n")
    indent = re.match(" *", lines[0]).group()
    return [f'{indent}REPRISE_PLANTED("{fault.name}")', *lines]


def plant(faults, text):
    """The text of a file with its faults."""
    lines = text.split("\n")
    changes = []
    for fault in faults:
        for place in fault.places:
            begin, end = find(fault, place, lines)
            changes.append((begin, end, planted_lines(fault, place, begin < end)))
    for begin, end, planted in reversed(sorted(changes, key=lambda x: x[:2])):
        lines[begin:end] = planted
    return '#include "reprise/Planted.h"\n' + "\n".join(lines)


def by_files(faults, source):
    """The faults of each file, all of which must apply."""
    result = {}
    for fault in faults:
        if not fault.places:
            fault.error("it has no place")
        if not fault.file or not os.path.exists(os.path.join(source, fault.file)):
            fault.error(f"no file {fault.file}")
        result.setdefault(fault.file, []).append(fault)
    return result


def main():
    source = sys.argv[1]
    faults = read_faults(os.path.join(HERE, "substitutions"))

    def planted_files(faults):
        return {file: plant(own, open(os.path.join(source, file)).read())
                for file, own in by_files(faults, source).items()}

    planted = planted_files(faults)
    if len(sys.argv) < 3:
        for fault in faults:
            print(fault.name, fault.file)
        return
    shards = int(os.environ.get("GTEST_TOTAL_SHARDS", 1))
    if shards > 1:
        index = int(os.environ["GTEST_SHARD_INDEX"])
        faults = [fault for number, fault in enumerate(faults)
                  if number % shards == index or fault.is_of_all_shards]
        planted = planted_files(faults)
    changed = len(planted)
    out = sys.argv[2]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=source, check=True, stdout=subprocess.PIPE, text=True).stdout
    copied = [name for name in listed.split("\0")
              if name and os.path.exists(os.path.join(source, name))]
    header = "include/reprise/Planted.h"
    planted[header] = open(os.path.join(HERE, "Planted.h")).read()
    planted["planted.txt"] = "".join(
        f"{fault.name} {fault.file} {fault.feature}".rstrip() + "\n" for fault in faults)
    for name in {*copied, header, "planted.txt"}:
        path = os.path.join(out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if name in planted:
            # Equal files keep their time, so that a build does what changed.
            if not os.path.exists(path) or open(path).read() != planted[name]:
                with open(path, "w") as file:
                    file.write(planted[name])
        else:
            shutil.copy2(os.path.join(source, name), path)
    # What the sources have no longer.
    for folder, _, names in os.walk(out):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), out)
            if path not in planted and path not in set(copied):
                os.remove(os.path.join(out, path))
    print(f"{len(faults)} faults in {changed} files")


main()
