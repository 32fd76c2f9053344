"""Safetensors files for the scripts beside this one."""
import json
import struct


def write(path, tensors):
    """Of (name, numbers, their code in struct, dtype, shape)."""
    data, header = b"", {}
    for name, values, code, dtype, shape in tensors:
        part = struct.pack(f"<{len(values)}{code}", *values)
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
