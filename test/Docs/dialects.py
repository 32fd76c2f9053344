"""Examples of dialects' ops and attributes parse and verify.

    dialects.py SOURCE WORK

A block of MLIR of docs/dialects/*.md is wrapped in a function, unless it is a
whole program. Values that it uses and does not make become arguments; their
types are those that the parser asks for. What a block needs else (the op
around it, a function's body) stands in SURROUNDINGS under the op or attribute
that it is an example of, variables in VARIABLES. Examples of passes have a
test each, doc-PASS.mlir, which takes the block from its page or has it too.
"""

import os
import re
import subprocess
import sys

IN_AN_ENTRY = """rt.program @example attributes {arena_bytes = 0 : i64,
  fixed_bytes = 0 : i64, threads = 1 : i64, target = #rt.target<"cpu", "">,
  library = ""} {
rt.entry @train_step inputs [] outputs [] peak 0 max_live 0 base_flops 0 {
EXAMPLE}}"""

# EXAMPLE is the block.
SURROUNDINGS = {
    "sg.yield": """%result:2 = sg.module "example" (%y = %arg_y
  : tensor<8x4xf32>, %z = %arg_z : tensor<8xf32>)
  -> (tensor<8x4xf32>, tensor<8xf32>) {
EXAMPLE}""",
    "rt.call": IN_AN_ENTRY,
    "rt.fetch": IN_AN_ENTRY,
    "rt.offload": IN_AN_ENTRY,
    "BindingAttr": """EXAMPLE {
  %zero = sg.constant dense<0.0> : tensor<f32>
  return %zero : tensor<f32>
}""",
}

# Of the variables that examples name and do not declare.
VARIABLES = {
    "conv1.weight": ("64x7x7x3", "parameter"),
    "w": ("8x4", "parameter"),
    "bn1.running_mean": ("64", "running_statistics"),
    "bn1.running_var": ("64", "running_statistics"),
}

# Examples that are programs: a pass looks at them too.
PROGRAM_PASSES = "builtin.module(rt.program(rt-verify-program))"


class Example:
    def __init__(self, page, line, heading, text):
        self.place, self.heading = f"{page}:{line}", heading
        self.text = text
        self.arguments = {}  # name: type
        self.errors = []

    def module(self):
        """The example within what it needs, as a split of a file."""
        text = self.text
        if text.startswith("#"):
            values = re.split(r"\n(?=#)", text.rstrip())
            return "func.func private @example() attributes {" + ", ".join(
                f"value{number} = {value}"
                for number, value in enumerate(values)) + "}\n"
        around = SURROUNDINGS.get(self.heading, "EXAMPLE")
        text = around.replace("EXAMPLE", text)
        declared = re.findall(r'sg\.variable @"?([\w.]+)', text)
        used = set(re.findall(r'@"?([\w.]+)', text)) - set(declared)
        variables = "".join(
            f'sg.variable @"{name}" : tensor<{shape}xf32> '
            f'{{role = #sg.role<{role}>, init = #sg.init<zeros>}}\n'
            for name, (shape, role) in VARIABLES.items() if name in used)
        if re.match(r"func\.func|rt\.program|sg\.variable", text):
            return variables + text
        arguments = ", ".join(f"{name}: {type}"
                              for name, type in self.arguments.items())
        return (f"{variables}func.func @example({arguments}) {{\n{text}\n"
                "return\n}\n")


def read_examples(page, path):
    """The blocks of a page, with the op or attribute they stand under."""
    heading, start, lines = "", None, []
    for number, line in enumerate(open(path), 1):
        named = re.match(r"### `?([\w.-]+)", line)
        if start is None and named:
            heading = named.group(1)
        elif start is None and line.startswith("```mlir"):
            start, lines = number, []
        elif start is not None and line.startswith("```"):
            yield Example(page, start, heading, "".join(lines))
            start = None
        else:
            lines.append(line)


def parse(examples, path):
    """Has the tool read all; leaves in each its (line, column, message)s."""
    starts, at = [], 1
    with open(path, "w") as out:
        for example in examples:
            text = example.module().rstrip() + "\n// -----\n"
            starts.append(at)
            at += text.count("\n")
            out.write(text)
    done = subprocess.run(["reprise-opt", "--split-input-file", path, "-o",
                           os.devnull], text=True, capture_output=True)
    for example in examples:
        example.errors = []
    errors = re.findall(rf"^{re.escape(path)}:(\d+):(\d+): error: (.*)$",
                        done.stderr, re.M)
    assert bool(errors) == bool(done.returncode), done.stderr
    for line, column, message in errors:
        last = [n for n, start in enumerate(starts) if start <= int(line)][-1]
        examples[last].errors.append((int(line), int(column), message))


def complete(examples, path):
    """Gives undeclared values the types that the parser asks for, one after
    another, until nothing is learned."""
    while True:
        parse(examples, path)
        lines, learned = open(path).read().split("\n"), False
        for example in examples:
            for line, column, message in example.errors:
                name = re.match(r"%\w+", lines[line - 1][column - 1:])
                asked = re.match(r"use of value '(%\w+)' expects different type"
                                 r" than prior uses: '(.*)' vs 'none'", message)
                if asked and example.arguments.get(asked.group(1)) == "none":
                    example.arguments[asked.group(1)] = asked.group(2)
                    learned = True
                elif message == "use of undeclared SSA value name" and name \
                        and name.group() not in example.arguments:
                    example.arguments[name.group()] = "none"
                    learned = True
        if not learned:
            return


def check_program(example, path):
    with open(path, "w") as out:
        out.write(example.module())
    done = subprocess.run(["reprise-opt", path, "-o", os.devnull,
                           "--pass-pipeline=" + PROGRAM_PASSES], text=True,
                          capture_output=True)
    return done.stderr


def without_comments(text):
    return re.sub(r"^\s*//.*\n", "", text, flags=re.M)


def untested_passes(source):
    """Examples of passes that no test takes from their page, or has too."""
    tests = {}
    for folder, _, names in os.walk(os.path.join(source, "test")):
        tests.update({name: open(os.path.join(folder, name)).read()
                      for name in names if name.startswith("doc-")})
    for name in sorted(os.listdir(os.path.join(source, "docs/passes"))):
        page = "docs/passes/" + name
        taken = set()
        for example in read_examples(page, os.path.join(source, page)):
            name = example.heading.lstrip("-")
            test = tests.get(f"doc-{name}.mlir", "")
            takes = rf"/\^### `-{name}`/.* %source/{re.escape(page)} "
            if name not in taken and re.search(takes, test):
                taken.add(name)  # the first below the heading
            elif without_comments(example.text) not in without_comments(test):
                yield f"{example.place}: no test runs this example of {name}"


def main():
    source, work = map(os.path.abspath, sys.argv[1:3])
    os.makedirs(work, exist_ok=True)
    examples = []
    for name in sorted(os.listdir(os.path.join(source, "docs/dialects"))):
        page = "docs/dialects/" + name
        examples += read_examples(page, os.path.join(source, page))
    complete(examples, os.path.join(work, "examples.mlir"))
    failed = [f"{example.place}: {example.heading}: {message}"
              for example in examples for _, _, message in example.errors]
    for example in examples:
        if example.text.startswith("rt.program"):
            wrong = check_program(example, os.path.join(work, "program.mlir"))
            failed += [f"{example.place}: {wrong}"] if wrong else []
    failed += untested_passes(source)
    print(f"{len(examples)} examples, {len(failed)} mistakes")
    print("\n".join(failed))
    sys.exit(bool(failed) or not examples)


if __name__ == "__main__":
    main()
