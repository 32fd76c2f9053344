"""allocated_bytes.py FUNCTION --within REMARKS: the most bytes that the
allocations of a bufferized, straight-line function hold at once, read from
standard input in MLIR's custom form; see promise.py."""

import re
import sys

import promise

WIDTHS = {"f32": 4, "i32": 4}


def count(lines, function):
    live = peak = 0
    sizes, inside = {}, False
    for line in lines:
        if not inside:
            inside = re.search(rf"func\.func .*@{function}\(", line) is not None
            continue
        if re.match(r" {2}\}", line):
            return peak
        made = re.search(r"(%\w+) = memref\.alloc\(\).* : memref<((?:\d+x)*)(\w+)>", line)
        if made:
            size = WIDTHS[made[3]]
            for extent in made[2].split("x")[:-1]:
                size *= int(extent)
            sizes[made[1]] = (size + 63) // 64 * 64
            live += sizes[made[1]]
            peak = max(peak, live)
        elif "memref.alloc" in line:
            sys.exit(f"what does this allocate? {line}")
        freed = re.search(r"memref\.dealloc (%\w+)", line)
        if freed:
            live -= sizes.pop(freed[1])
    sys.exit(f"no function '{function}' that ends")


if __name__ == "__main__":
    promise.check(count(sys.stdin.readlines(), sys.argv[1]), sys.argv[2:])
