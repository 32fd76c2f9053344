"""Every module of the tests survives bytecode, generic text and debug text.

    round_trips.py TEST_FOLDER [FILE...]

Modules are the pieces of all .mlir files that parse; the errors of others are
their own tests' business. Prints how many there are, and each that comes back as
another one.
"""

import os
import re
import subprocess
import sys

SEPARATOR = "// -----\n"
DIFFERS = re.compile(r"roundTrip testing|cannot verify round-trip")


def optimize(pieces, *options):
    """What reprise-opt makes of each piece, "" where it fails; its errors."""
    done = subprocess.run(
        ["reprise-opt", "-", "--split-input-file",
         "--allow-unregistered-dialect", *options],
        input=SEPARATOR.join(pieces).encode(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    errors = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1):
        sys.exit(f"reprise-opt ended with {done.returncode}:\n{errors[-3000:]}")
    texts = done.stdout.decode().split(SEPARATOR)
    if len(texts) != len(pieces):
        sys.exit(f"{len(pieces)} modules became {len(texts)}:\n{errors[-3000:]}")
    return [text.strip("\n") + "\n" if text.strip() else ""
            for text in texts], errors


def find_files(folder):
    for path, folders, names in os.walk(folder):
        folders.sort()
        yield from (os.path.join(path, name) for name in sorted(names)
                    if name.endswith(".mlir"))


def main():
    files = sys.argv[2:] or list(find_files(sys.argv[1]))
    pieces = [(f"{path}, piece {number}", piece) for path in files
              for number, piece in enumerate(
                  re.split(r"^// -----[ \t]*\n", open(path).read(), flags=re.M),
                  1)]
    texts, _ = optimize([piece for _, piece in pieces])
    parsed = [(name, piece) for (name, piece), text in zip(pieces, texts) if text]
    names = [name for name, _ in parsed]
    modules = [piece for _, piece in parsed]
    plain = [text for text in texts if text]
    wrong = []
    # Bytecode, and text with locations; both into a context of its own.
    verified, errors = optimize(modules, "--verify-roundtrip")
    wrong += [f"{name}: bytecode or text: {errors[:2000]}"
              for name, text in zip(names, verified) if not text]
    if DIFFERS.search(errors) and not wrong:
        wrong.append(errors[:2000])
    for form, options in [("generic text", ["--mlir-print-op-generic"]),
                          ("debug text", ["--mlir-print-debuginfo"])]:
        again, errors = optimize(optimize(modules, *options)[0])
        wrong += [f"{name}: {form} became:\n{text or errors[:2000]}"
                  for name, text, before in zip(names, again, plain)
                  if text != before]
    print(f"{len(modules)} modules of {len(files)} files")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
