"""Event files of TensorBoard, read by the description of the format."""

import glob
import os
import struct


def crc32c(data):
    """Bit by bit: another way than the writer's."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


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


def read_events(folder):
    """{tag: {step: value}} and {tag: text} of all files, the oldest first."""
    scalars, texts = {}, {}
    files = sorted(glob.glob(folder + "/events.out.tfevents.*"),
                   key=os.path.getmtime)
    for path in files:
        events = [message(body) for body in records(path)]
        assert events[0][3] == [b"brain.Event:2"], events[0]
        assert all(1.5e9 < event[1][0] < 1e10 for event in events)
        for event in events[1:]:
            for value in message(event[5][0])[1]:
                value = message(value)
                tag = value[1][0].decode()
                if 2 in value:
                    scalars.setdefault(tag, {})[event[2][0]] = value[2][0]
                    continue
                plugin = message(message(value[9][0])[1][0])
                tensor = message(value[8][0])
                assert plugin[1] == [b"text"] and tensor[1] == [7]
                texts[tag] = tensor[8][0].decode()
    return files, scalars, texts
