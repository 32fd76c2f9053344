"""What remat-to-budget's remark promises, and comparisons with it."""

import re
import sys


def check(counted, arguments):
    """Compares counted bytes with `--promised REMARKS` (equal), `--within
    REMARKS` (at most) or `--above BYTES`, and prints what was compared."""
    kind, what = arguments
    if kind == "--above":
        limit, holds = int(what), counted > int(what)
    else:
        with open(what, encoding="utf-8") as file:
            found = re.findall(r"\bbudget_bytes=(\d+), live_bytes=(\d+)", file.read())
        if len(found) != 1:
            sys.exit(f"{what} has {len(found)} promises, not 1")
        budget, limit = map(int, found[0])
        holds = counted == limit if kind == "--promised" else counted <= limit
        holds = holds and limit <= budget
    print(f"{counted} bytes counted, {kind[2:]} {limit}")
    if not holds:
        sys.exit(1)
