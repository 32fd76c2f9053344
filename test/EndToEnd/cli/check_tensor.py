"""Checks that all elements of a tensor of f32 are near a number.

    check_tensor.py FILE TENSOR NUMBER
"""
import json
import struct
import sys

path, name, wanted = sys.argv[1], sys.argv[2], float(sys.argv[3])
content = open(path, "rb").read()
length, = struct.unpack_from("<Q", content)
begin, end = json.loads(content[8:8 + length])[name]["data_offsets"]
values = struct.unpack(f"<{(end - begin) // 4}f",
                       content[8 + length + begin:8 + length + end])
assert values and all(abs(v - wanted) < 1e-6 for v in values), values
