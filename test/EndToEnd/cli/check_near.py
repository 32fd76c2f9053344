"""The distance of two states' tensors.

    check_near.py STATE OTHER MOST        fails if a tensor is farther
    check_near.py STATE OTHER MOST apart  fails if no tensor is

The distance of a tensor is that of all its elements, divided by its norm.
"""
import json
import math
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    values = {}
    for name, tensor in header.items():
        if name != "__metadata__" and tensor["dtype"] == "F32":
            begin, end = tensor["data_offsets"]
            values[name] = struct.unpack(f"<{(end - begin) // 4}f",
                                         data[begin:end])
    return values


def distance(a, b):
    away = math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)))
    return away / max(math.sqrt(sum(x * x for x in a)), 1e-3)


state, other = map(read, sys.argv[1:3])
most, apart = float(sys.argv[3]), sys.argv[4:] == ["apart"]
assert state and state.keys() == other.keys()
worst, name = max((distance(state[name], other[name]), name) for name in state)
print(f"largest distance {worst:.2e}, of {name}")
if (worst > most) != apart:
    sys.exit(f"the limit is {most}")
