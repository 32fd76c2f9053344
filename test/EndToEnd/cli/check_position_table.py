"""check_position_table.py SMALL LARGE: the position table of a vision transformer
of 2x2 patches, and the same interpolated to 2x4 by PyTorch."""
import json
import struct
import sys

import torch


def table(path):
    content = open(path, "rb").read()
    length, = struct.unpack_from("<Q", content)
    entry = json.loads(content[8:8 + length])["encoder.pos_embedding"]
    begin, end = entry["data_offsets"]
    data = bytearray(content[8 + length + begin:8 + length + end])
    return torch.frombuffer(data, dtype=torch.float32).reshape(entry["shape"])


small, large = map(table, sys.argv[1:])
grid = small[:, 1:].permute(0, 2, 1).reshape(1, -1, 2, 2)
wanted = torch.nn.functional.interpolate(grid, size=(2, 4), mode="bicubic",
                                         align_corners=True)
wanted = torch.cat([small[:, :1], wanted.reshape(1, -1, 8).permute(0, 2, 1)], 1)
assert torch.equal(small[:, 0], large[:, 0])
assert torch.allclose(large, wanted, atol=1e-7), (large - wanted).abs().max()
