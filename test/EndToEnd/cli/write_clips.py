"""write_clips.py DIR: two classes of clips, of a bright square that moves to the
right or down, in DIR/train (6 each) and DIR/val (2 each), as PNG files of 20x24."""
import os
import struct
import sys
import zlib

HEIGHT, WIDTH = 20, 24


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def frame(across, step, start):
    rows = bytearray()
    for y in range(HEIGHT):
        rows += b"\0"
        for x in range(WIDTH):
            along, other = (x, y) if across else (y, x)
            lit = 0 <= along - 2 * step < 5 and 0 <= other - start < 5
            rows += bytes([220, 180, 160] if lit else [20, 30, 40])
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


for split, count in ("train", 6), ("val", 2):
    for name, across in ("across", True), ("down", False):
        for clip in range(count):
            folder = os.path.join(sys.argv[1], split, name, f"clip{clip}")
            os.makedirs(folder)
            for step in range(8 + clip % 2):
                with open(os.path.join(folder, f"{step:03}.png"), "wb") as file:
                    file.write(frame(across, step, 2 + 2 * clip))
