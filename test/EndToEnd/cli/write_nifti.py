"""write_nifti.py FILE X Y Z: a NIfTI-1 volume of zeros, signed 16 bits."""
import struct
import sys

x, y, z = map(int, sys.argv[2:5])
header = bytearray(352)
struct.pack_into("<i", header, 0, 348)
struct.pack_into("<8h", header, 40, 3, x, y, z, 1, 1, 1, 1)
struct.pack_into("<2h", header, 70, 4, 16)
struct.pack_into("<8f", header, 76, *[1] * 8)
struct.pack_into("<f", header, 108, 352)
header[344:348] = b"n+1\0"
with open(sys.argv[1], "wb") as file:
    file.write(header + bytes(2 * x * y * z))
