"""Writes a batch of four images and labels as .safetensors."""

import json
import struct
import sys

count, extents, classes = 4, (32, 32, 3), 10
values = count * extents[0] * extents[1] * extents[2]
header = json.dumps({
    "image": {"dtype": "F32", "shape": [count, *extents],
              "data_offsets": [0, 4 * values]},
    "label": {"dtype": "I32", "shape": [count],
              "data_offsets": [4 * values, 4 * values + 4 * count]},
}).encode()  # fmt: skip
header += b" " * (-len(header) % 8)
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<Q", len(header)) + header)
    out.write(struct.pack(f"<{values}f", *(i % 97 / 97 for i in range(values))))
    out.write(struct.pack(f"<{count}i", *(i % classes for i in range(count))))
