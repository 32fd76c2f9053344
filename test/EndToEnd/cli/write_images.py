"""write_images.py FOLDER [HxW ...]: PNG files of three classes, pictures that are
mostly red, green or blue, 12 a class for training and 4 for tests. They have these
shapes in turn, or all 40x48."""
import os
import random
import struct
import sys
import zlib

SHAPES = [tuple(map(int, text.split("x")))
          for text in sys.argv[2:]] or [(40, 48)]


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(channel, random, height, width):
    rows = []
    for _ in range(height):
        row = bytearray(random.randrange(100) for _ in range(3 * width))
        for x in range(width):
            row[3 * x + channel] += 120
        rows.append(b"\0" + bytes(row))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
            chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b""))


random = random.Random(3)
for split, count in [("train", 12), ("val", 4)]:
    for channel, name in enumerate(["red", "green", "blue"]):
        folder = os.path.join(sys.argv[1], split, name)
        os.makedirs(folder)
        for i in range(count):
            with open(os.path.join(folder, "%02d.png" % i), "wb") as file:
                file.write(png(channel, random, *SHAPES[i % len(SHAPES)]))
