"""break_image.py FILE: a PNG whose header is right and whose pixels are not."""
import sys

path = sys.argv[1]
data = bytearray(open(path, "rb").read())
at = data.index(b"IDAT") + 4
data[at:at + 40] = bytes(40)
open(path, "wb").write(data)
