#!/usr/bin/python3
"""Made the pictures beside it, and what they are to be decoded and resized to.

Needs Pillow (made with 9.4.0), whose results the expectations are: NAME.ppm or
NAME.pgm is what Pillow makes of NAME, upright, of 8 bits and without alpha.
"""
import random
import struct
import zlib

from PIL import Image, ImageOps

random.seed(7)


def noise(mode, size, smooth=True):
    bands = len(Image.new(mode, (1, 1)).getbands())
    small = (size[0] // 3 + 2, size[1] // 3 + 2)
    raw = bytes(random.randrange(256) for _ in range(small[0] * small[1] * bands))
    image = Image.frombytes(mode, small, raw)
    return image.resize(size, Image.BICUBIC if smooth else Image.NEAREST)


def expect(name):
    image = ImageOps.exif_transpose(Image.open(name))
    image.convert("RGB").save(name + ".ppm")
    if "turned" not in name:
        image.convert("RGB").convert("L").save(name + ".pgm")


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png16(name, width, height, channels, kind):
    values = [random.randrange(65536) for _ in range(width * height * channels)]
    row = width * channels
    raw = b"".join(
        b"\0" + struct.pack(">%dH" % row, *values[y * row : (y + 1) * row])
        for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 16, kind, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    data += chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    open(name, "wb").write(data)
    scaled = bytes((v * 255 + 32767) // 65535 for v in values)
    mode = "RGB" if channels == 3 else "L"
    image = Image.frombytes(mode, (width, height), scaled).convert("RGB")
    image.save(name + ".ppm")
    image.convert("L").save(name + ".pgm")


size = (11, 7)
noise("L", size).save("grey.png")
noise("L", size).convert("1").save("bits.png")
noise("RGB", size).save("colour.png")
noise("RGBA", size).save("alpha.png")
noise("RGB", size).quantize(16).save("palette.png")
noise("RGB", size).quantize(8).save("see-through.png", transparency=3)
noise("LA", size).save("grey-alpha.png")
noise("L", size).save("grey.jpg", quality=90)
noise("RGB", size).save("colour.jpg", quality=90)
noise("RGB", size).save("progressive.jpg", quality=90, progressive=True)
noise("CMYK", size).save("cmyk.jpg", quality=95)
for name in (
    "grey.png bits.png colour.png alpha.png palette.png see-through.png "
    "grey-alpha.png grey.jpg colour.jpg progressive.jpg cmyk.jpg"
).split():
    expect(name)
png16("grey16.png", 5, 4, 1, 0)
png16("colour16.png", 5, 4, 3, 2)
turned = noise("RGB", size)
for orientation in range(1, 9):
    exif = Image.Exif()
    exif[0x0112] = orientation
    turned.save("turned%d.png" % orientation, exif=exif)
    expect("turned%d.png" % orientation)
exif = Image.Exif()
exif[0x0112] = 6
turned.save("turned.jpg", quality=90, exif=exif)
expect("turned.jpg")

big = noise("RGB", (37, 29), smooth=False)
big.save("big.png")
big.resize((16, 20), Image.BILINEAR).save("smaller.ppm")
big.resize((50, 61), Image.BILINEAR).save("larger.ppm")
big.crop((5, 3, 30, 20)).resize((12, 12), Image.BILINEAR).save("part.ppm")
# torchvision's Resize(24), CenterCrop(20): the longer side is 24 * 37 // 29.
middle = big.resize((30, 24), Image.BILINEAR)
middle.crop((5, 2, 25, 22)).save("middle.ppm")


def interlaced(name, image):
    """Adam7, which Pillow reads and does not write."""
    pixels, (width, height) = image.load(), image.size
    raw = b""
    for x0, y0, dx, dy in (
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4),
        (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ):  # fmt: skip
        columns = range(x0, width, dx)
        for y in range(y0, height, dy) if columns else ():
            raw += b"\0" + b"".join(bytes(pixels[x, y]) for x in columns)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 1)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    data += chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    open(name, "wb").write(data)
    assert list(Image.open(name).getdata()) == list(image.getdata())
    expect(name)


interlaced("interlaced.png", noise("RGB", size))
