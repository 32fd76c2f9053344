"""Derives the build of the planted copy from a finished build.

    overlay.py BUILD PLANTED

CMake and Ninja made BUILD; plant.py wrote PLANTED/source. After this,
`ninja -C PLANTED/build TARGET` compiles the files that have faults and links their
libraries and programs again. Every other object is BUILD's. PLANTED/build is a link
to the folder whose path from PLANTED/source is that of BUILD from the sources, so
that relative paths hold.
"""

import os
import re
import shutil
import subprocess
import sys

EDGE = re.compile(r"build ([^:]+): (\S+)(.*)")


class Overlay:
    def __init__(self, source, build, planted):
        self.source, self.build = source, build
        self.copy = os.path.join(planted, "source")
        self.out = os.path.normpath(
            os.path.join(self.copy, os.path.relpath(build, source)))
        self.link = os.path.join(planted, "build")
        self.objects = self.objects_with_faults()
        self.changed = set()

    def objects_with_faults(self):
        """Objects whose files include the header of planted faults in the copy."""
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "deps"],
                                check=True, stdout=subprocess.PIPE, text=True).stdout
        differs = {}
        found, current = set(), None
        for line in listed.split("\n"):
            if not line.startswith(" "):
                current = line.split(":")[0]
                continue
            path = os.path.normpath(os.path.join(self.build, line.strip()))
            if path not in differs:
                copied = os.path.join(self.copy, os.path.relpath(path, self.source))
                differs[path] = (
                    path.startswith(self.source + "/")
                    and not path.startswith(self.build + "/")
                    and os.path.exists(copied)
                    and b"reprise/Planted.h" in open(copied, "rb").read())
            if differs[path]:
                found.add(current)
        return found

    def of_the_copy(self, text):
        """`text` with the copy's paths for those of the sources."""
        return re.sub(
            re.escape(self.source) + r"(?=[/\s]|$)(?!"
            + re.escape(self.build[len(self.source):]) + r"(?:[/\s]|$))",
            lambda match: self.copy, text)

    def edge(self, lines):
        """The lines of a build statement, changed where it meets a fault."""
        match = EDGE.match(lines[0])
        if not match:
            return lines
        outputs = match.group(1).replace("|", " ").split()
        rule = match.group(2)
        inputs = match.group(3).split("||")[0].replace("|", " ").split()
        if rule in ("RERUN_CMAKE", "VERIFY_GLOBS"):
            return []
        compiles = "COMPILER__" in rule
        if compiles and outputs[0] in self.objects:
            self.changed.update(outputs)
            head = self.of_the_copy(lines[0].split("||")[0])
            order = lines[0].split("||")[1:]
            return ["||".join([head, *order])] + [
                self.of_the_copy(line) if line.startswith("  INCLUDES =")
                else line + " -w" if line.startswith("  FLAGS =")
                else self.of_the_build(line) for line in lines[1:]]
        if compiles:
            return lines[:1] + [
                self.of_the_build(line) if line.startswith("  DEFINES =") else line
                for line in lines[1:]]
        if self.changed.intersection(inputs):
            self.changed.update(outputs)
            head = lines[0].replace("${cmake_ninja_workdir}", self.out + "/")
            return [head] + [
                self.of_the_build(line)
                if line.startswith(("  COMMAND =", "  LINK_")) else line
                for line in lines[1:]]
        return lines

    def of_the_build(self, text):
        """`text` with this build's paths for those of the finished one."""
        return text.replace(self.build + "/", self.out + "/").replace(
            f"cd {self.build} ", f"cd {self.out} ")

    def write_ninja_file(self):
        edges = open(os.path.join(self.build, "build.ninja")).read().split("\n\n")
        # Inputs stand in any order, so that one pass may miss what changes later.
        while True:
            before = len(self.changed)
            written = ["\n".join(self.statements(edge.split("\n")))
                       for edge in edges]
            if len(self.changed) == before:
                break
        write(os.path.join(self.out, "build.ninja"), "\n\n".join(written))

    def statements(self, lines):
        """Lines between two empty ones: comments, then build statements."""
        result, current = [], []
        for line in [*lines, None]:
            if current and (line is None or not line.startswith("  ")):
                result += self.edge(current)
                current = []
            if line is not None:
                if line.startswith("build ") or current:
                    current.append(line)
                else:
                    result.append(line)
        return result

    def copy_files(self):
        """Copies the files that build statements name, as old as they are."""
        names = {".ninja_log", ".ninja_deps", "CMakeFiles/rules.ninja"}
        for line in open(os.path.join(self.build, "build.ninja")):
            if line.startswith("build "):
                line = line.replace("${cmake_ninja_workdir}", "")
                line = line.replace(self.build + "/", "")
                names.update(re.split(r"[\s:|]+", line)[1:])
        for name in names:
            path = os.path.join(self.build, name)
            if not name.startswith(("/", "..")) and os.path.isfile(path):
                target = os.path.join(self.out, name)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(path, target, follow_symlinks=False)

    def write_lit_site(self):
        name = "test/lit.site.cfg.py"
        text = open(os.path.join(self.build, name)).read()
        write(os.path.join(self.out, name),
              self.of_the_copy(self.of_the_build(text)))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def main():
    build, planted = map(os.path.abspath, sys.argv[1:])
    cache = open(os.path.join(build, "CMakeCache.txt")).read()
    # Paths as CMake wrote them, whatever links lead there.
    source, build = (re.search(f"^{name}:[A-Z]+=(.*)$", cache, re.M).group(1)
                     for name in ("CMAKE_HOME_DIRECTORY", "CMAKE_CACHEFILE_DIR"))
    overlay = Overlay(source, build, planted)
    if not overlay.objects:
        sys.exit(f"error: {overlay.build} has no object of a file with a fault; "
                 "build it first")
    shutil.rmtree(overlay.out, ignore_errors=True)
    overlay.copy_files()
    overlay.write_ninja_file()
    overlay.write_lit_site()
    if os.path.lexists(overlay.link):
        os.remove(overlay.link)
    os.symlink(overlay.out, overlay.link)
    print(f"{len(overlay.objects)} objects have faults")


main()
