"""Writes photographs of Fashion-MNIST as PNG files in folders of their classes.

    write_fashion.py FOLDER TRAIN TEST     (so many of each of the ten classes)

The data are Debian's package dataset-fashion-mnist; the first of each class.
"""
import gzip
import os
import struct
import sys
import zlib

SOURCE = "/usr/share/datasets/fashion-mnist/"
NAMES = ["t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt",
         "sneaker", "bag", "ankle-boot"]
SIZE = 28


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(pixels):
    rows = [b"\0" + pixels[y * SIZE:(y + 1) * SIZE] for y in range(SIZE)]
    head = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 0, 0, 0, 0)  # grey
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
            chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b""))


def write(folder, files, count):
    """The first `count` images of each class."""
    written = [0] * len(NAMES)
    with gzip.open(SOURCE + files + "-images-idx3-ubyte.gz") as images, \
            gzip.open(SOURCE + files + "-labels-idx1-ubyte.gz") as labels:
        assert struct.unpack(">IIII", images.read(16))[2:] == (SIZE, SIZE)
        labels.read(8)
        while min(written) < count:
            pixels, (label,) = images.read(SIZE * SIZE), labels.read(1)
            place = os.path.join(folder, NAMES[label])
            os.makedirs(place, exist_ok=True)
            if written[label] == count:
                continue
            path = os.path.join(place, "%03d.png" % written[label])
            with open(path, "wb") as file:
                file.write(png(pixels))
            written[label] += 1


write(os.path.join(sys.argv[1], "train"), "train", int(sys.argv[2]))
write(os.path.join(sys.argv[1], "val"), "t10k", int(sys.argv[3]))
