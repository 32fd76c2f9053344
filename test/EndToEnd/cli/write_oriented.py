"""write_oriented.py FILE CODE: the same volume of 4x6x8 voxels in space (to the
right, to the front, upwards) with axes along CODE, as LPS. Floats."""
import itertools
import struct
import sys

path, code = sys.argv[1:3]
space = (4, 6, 8)
lines = [next(i for i, ends in enumerate(("RL", "AP", "SI")) if letter in ends)
         for letter in code]
back = [letter in "LPI" for letter in code]
extents = [space[line] for line in lines]

header = bytearray(352)
struct.pack_into("<i", header, 0, 348)
struct.pack_into("<8h", header, 40, 3, *extents, 1, 1, 1, 1)
struct.pack_into("<2h", header, 70, 16, 32)
struct.pack_into("<8f", header, 76, *[1] * 8)
struct.pack_into("<f", header, 108, 352)
struct.pack_into("<h", header, 254, 1)
for row in range(3):
    struct.pack_into("<4f", header, 280 + 16 * row, *(
        (-1 if turned else 1) * (line == row)
        for line, turned in zip(lines, back)), 0)
header[344:348] = b"n+1\0"

values = []
for z, y, x in itertools.product(*(range(n) for n in reversed(extents))):
    place = [0, 0, 0]
    for line, turned, at in zip(lines, back, (x, y, z)):
        place[line] = space[line] - 1 - at if turned else at
    values.append(place[0] + place[1] ** 2 - place[2] ** 3)
with open(path, "wb") as file:
    file.write(header + struct.pack(f"<{len(values)}f", *values))
