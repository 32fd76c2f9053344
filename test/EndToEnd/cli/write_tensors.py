"""Writes a safetensors file. Usage: FILE NAME[=SHAPE:VALUE]...; a tensor without a
shape is one zero, as w=1:0."""
import json
import math
import struct
import sys

header, data = {}, b""
for argument in sys.argv[2:]:
    name, _, rest = argument.partition("=")
    shape, _, value = (rest or "1:0").partition(":")
    extents = [int(extent) for extent in shape.split("x")]
    tensor = struct.pack("<f", float(value)) * math.prod(extents)
    header[name] = {"dtype": "F32", "shape": extents,
                    "data_offsets": [len(data), len(data) + len(tensor)]}
    data += tensor
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
