"""States, which are safetensors files."""

import json
import struct


def parts(path):
    """The bytes of a state's tensors, and its metadata without the recipe, which
    says more the more runs a state comes from, and its digest, which is also of
    the recipe."""
    content = open(path, "rb").read()
    length, = struct.unpack_from("<Q", content)
    metadata = json.loads(content[8:8 + length])["__metadata__"]
    for key in ("recipe", "digest"):
        metadata.pop(key, None)
    return content[8 + length:], metadata


def whole_step(path):
    """The step of a state, which is whole: header and all tensors."""
    content = open(path, "rb").read()
    length, = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    meta = header.pop("__metadata__")
    end = max(entry["data_offsets"][1] for entry in header.values())
    assert len(content) == 8 + length + end, path
    return int(meta["step"])
