"""Event files of TensorBoard, read by the description of the format."""

import glob
import os
import struct
import zlib


def bits(crc, count):
    for _ in range(count):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc


HALVES = [bits(half, 4) for half in range(16)]


def crc32c(data):
    """Half a byte at a time: another way than the writer's."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        crc = crc >> 4 ^ HALVES[crc & 15]
        crc = crc >> 4 ^ HALVES[crc & 15]
    return crc ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283  # of RFC 3720


def unmask(masked):
    rotated = (masked - 0xA282EAD8) & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def records(path, killed=False):
    """Bodies of the records; the last may be cut off where the writer was
    killed."""
    data, at = open(path, "rb").read(), 0
    while at < len(data):
        if killed and (len(data) < at + 12 or len(data) < at + 16 +
                       struct.unpack_from("<Q", data, at)[0]):
            return
        length, crc = struct.unpack_from("<QI", data, at)
        assert unmask(crc) == crc32c(data[at:at + 8]), "length's checksum"
        body = data[at + 12:at + 12 + length]
        crc, = struct.unpack_from("<I", data, at + 12 + length)
        assert len(body) == length and unmask(crc) == crc32c(body), "checksum"
        yield body
        at += 16 + length


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at


def message(data):
    """Fields of a message: number -> list of values."""
    fields, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif wire == 5:
            value, at = struct.unpack_from("<f", data, at)[0], at + 4
        else:
            assert wire == 2, wire
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length
        fields.setdefault(key >> 3, []).append(value)
    return fields


def values_of(folder):
    """(step, tag, fields) of every value of all files, the oldest first, after
    the files."""
    files = sorted(glob.glob(folder + "/events.out.tfevents.*"),
                   key=os.path.getmtime)
    values = []
    for path in files:
        events = [message(body) for body in records(path)]
        assert events[0][3] == [b"brain.Event:2"], events[0]
        assert all(1.5e9 < event[1][0] < 1e10 for event in events)
        for event in events[1:]:
            if 7 in event:  # a run begins: later points are another run's
                assert message(event[7][0]) == {1: [1]}, event
                values = [one for one in values if one[0] < event[2][0]]
                continue
            for value in message(event[5][0])[1]:
                value = message(value)
                values.append((event.get(2, [0])[0], value[1][0].decode(),
                               value))
    return files, values


def read_events(folder):
    """{tag: {step: value}} and {tag: text} of all files, the oldest first."""
    scalars, texts = {}, {}
    files, values = values_of(folder)
    for step, tag, value in values:
        if 2 in value:
            assert step > 0, tag
            scalars.setdefault(tag, {})[step] = value[2][0]
        elif 8 in value:
            plugin = message(message(value[9][0])[1][0])
            tensor = message(value[8][0])
            assert plugin[1] == [b"text"] and tensor[1] == [7]
            texts[tag] = tensor[8][0].decode()
        else:
            assert 4 in value, (tag, value)
    return files, scalars, texts


def read_images(folder):
    """{tag: {step: (width, height, rows, description)}}; rows as decode_png
    says."""
    images = {}
    for step, tag, value in values_of(folder)[1]:
        if 4 not in value:
            continue
        image = message(value[4][0])
        assert image[3] == [3], "RGB"
        width, height, rows = decode_png(image[4][0])
        assert image[1] == [height] and image[2] == [width], (image[1:3], tag)
        description = message(value[9][0])[3][0].decode()
        images.setdefault(tag, {})[step] = (width, height, rows, description)
    return images


def decode_png(data):
    """Width, height and rows of (red, green, blue), of a PNG file of 8-bit RGB
    that is not interlaced."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, compressed, head = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        crc, = struct.unpack_from(">I", data, at + 8 + length)
        assert crc == zlib.crc32(kind + body), kind
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            compressed += body
        at += 12 + length
    assert kind == b"IEND" and at == len(data)
    width, height = head[:2]
    assert head[2:] == (8, 2, 0, 0, 0), head
    raw, stride = zlib.decompress(compressed), 3 * width
    assert len(raw) == height * (stride + 1)
    rows, above = [], bytes(stride)
    for y in range(height):
        kind, *line = raw[y * (stride + 1):(y + 1) * (stride + 1)]
        above = unfilter(kind, line, above)
        rows.append([tuple(above[x:x + 3]) for x in range(0, stride, 3)])
    return width, height, rows


def unfilter(kind, line, above):
    """A row from its differences to what is on the left and above it."""
    for x, value in enumerate(line):
        left = line[x - 3] if x >= 3 else 0
        up, corner = above[x], above[x - 3] if x >= 3 else 0
        if kind == 1:
            value += left
        elif kind == 2:
            value += up
        elif kind == 3:
            value += (left + up) // 2
        elif kind == 4:
            near = left + up - corner
            value += min((abs(near - left), 0, left), (abs(near - up), 1, up),
                         (abs(near - corner), 2, corner))[2]
        else:
            assert kind == 0, kind
        line[x] = value & 255
    return line
