"""Examples in C++ of the docs compile.

    cpp.py SOURCE WORK INCLUDES COMPILER

A fenced block of C++ of README.md and docs/**/*.md takes the place of a line
"// EXAMPLE PAGE NUMBER" of a file beside, Inputs/*.cpp, which has what stands
around it; its #include lines go to the file's top. A block that no file has is
an error, and so is code that looks like C++ and stands in no fence. INCLUDES
are folders of headers, joined by ":". Messages of the compiler name page and
line.
"""

import os
import re
import subprocess
import sys

EXAMPLE = re.compile(r"^ *// EXAMPLE (\S+) (\d+)$", re.M)


def pages(source):
    yield "README.md"
    for folder, folders, names in os.walk(os.path.join(source, "docs")):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(folder, name), source)


def read_blocks(source):
    """{(page, number on it from 1): (line, text)}, and what is wrong."""
    blocks, wrong = {}, []
    for page in pages(source):
        text = open(os.path.join(source, page)).read()
        found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
        number, prose = 0, text
        for block in found:
            prose = prose.replace(block.group(), re.sub(
                r"[^\n]", "", block.group()))
            if block.group(1) == "cpp":
                number += 1
                line = text[: block.start(2)].count("\n") + 1
                blocks[page, number] = (line, block.group(2))
        for code in re.finditer(r"^    .*;$|^    #include.*", prose, re.M):
            line = prose[: code.start()].count("\n") + 1
            wrong.append(f"{page}:{line}: error: code of no fence ```cpp")
    return blocks, wrong


def fill(text, blocks, path):
    """The file with its examples, and which these are."""
    used, includes = [], []

    def example(place):
        key = place.group(1), int(place.group(2))
        if key not in blocks:
            sys.exit(f"{path}: {key[0]} has no block {key[1]} of C++")
        used.append(key)
        line, code = blocks[key]
        includes.extend(re.findall(r"^#include.*\n", code, re.M))
        code = re.sub(r"^#include.*$", "", code, flags=re.M)
        return f'#line {line} "{key[0]}"\n{code}'

    text = EXAMPLE.sub(example, text)
    return "".join(includes) + text, used


def main():
    source, work = map(os.path.abspath, sys.argv[1:3])
    includes, compiler = sys.argv[3].split(":"), sys.argv[4]
    os.makedirs(work, exist_ok=True)
    blocks, wrong = read_blocks(source)
    inputs = os.path.join(source, "test/Docs/Inputs")
    placed = []
    for name in sorted(os.listdir(inputs)):
        if not name.endswith(".cpp"):
            continue
        text, used = fill(open(os.path.join(inputs, name)).read(), blocks, name)
        placed += used
        path = os.path.join(work, name)
        with open(path, "w") as out:
            out.write(text)
        done = subprocess.run(
            [compiler, "-std=c++17", "-fsyntax-only", "-Wall", "-Werror",
             "-Wno-unused-variable", *(f"-isystem{i}" for i in includes), path],
            text=True, stderr=subprocess.STDOUT, stdout=subprocess.PIPE)
        wrong += [done.stdout] if done.returncode else []
    wrong += [f"{page}:{blocks[page, number][0]}: error: no file of {inputs} "
              f"has '// EXAMPLE {page} {number}'"
              for page, number in blocks if (page, number) not in placed]
    print(f"{len(placed)} examples")
    print("\n".join(wrong))
    sys.exit(bool(wrong) or not placed)


if __name__ == "__main__":
    main()
